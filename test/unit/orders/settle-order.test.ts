import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  amountRequired,
  countedUnits,
  decideOrder,
  NO_REFUNDS,
  ORDER_STATUSES,
  unitsAtWorseRate,
} from '../../../core/index.ts';
import type {
  DecisionContext,
  Deposit,
  DepositStatus,
  Order,
  OrderPayment,
  OrderRefunds,
  OrderRule,
  OrderStatus,
  RateEvidence,
  UnconfirmedPayment,
} from '../../../core/index.ts';

const DEADLINE = 1_000;
const WATCH_END = 5_000;

const GRACE = 100;
const HOLD = 2_000;

/** So many US dollars for one coin, and for one unit of the fiat. */
const rate = (coin: string, fiat = '1', fixed = false): RateEvidence => ({
  at: 0,
  coin: { symbol: 'USDT', usd: coin, sources: [] },
  fiat: { symbol: 'USD', usd: fiat, sources: [] },
  fixed,
});
const payment = (agreed = rate('2')) => ({
  chain: 'ETH',
  currency: 'USDT-ERC20',
  units: 100n,
  address: 'a',
  rate: agreed,
  chosenAt: 0,
});

const order = (changes: Partial<Order> = {}): Order =>
  ({
    id: '1',
    status: 'PENDING',
    payment: payment(),
    received: 0n,
    toleranceBps: 0,
    expiresAt: DEADLINE,
    watchUntil: WATCH_END,
    reorgedAt: null,
    ...changes,
  }) as unknown as Order;

const deposit = (
  units: bigint,
  status: DepositStatus,
  paidAt = 10,
  {
    currency = 'USDT-ERC20',
    seen = rate('2'),
    reason = null,
  }: { readonly currency?: string; readonly seen?: RateEvidence | null; readonly reason?: string | null } = {},
): Deposit =>
  ({
    chain: 'ETH',
    currency,
    units,
    returnCostUnits: 0n,
    status,
    paidAt,
    leastConfirmations: null,
    unassignedReason: reason,
    rate: seen,
  }) as unknown as Deposit;

const waiting = (units: bigint, seenAt = 10, currency = 'USDT-ERC20'): UnconfirmedPayment =>
  ({ chain: 'ETH', currency, units, seenAt, status: 'WAITING' }) as unknown as UnconfirmedPayment;

interface Row {
  readonly name: string;
  readonly order?: Partial<Order>;
  readonly deposits?: readonly Deposit[];
  readonly now?: number;
  readonly scanned?: boolean;
  readonly unconfirmed?: readonly UnconfirmedPayment[];
  readonly former?: OrderPayment;
  readonly refunds?: OrderRefunds;
  readonly rule: OrderRule | null;
}

const late = DEADLINE + 1;
const TERMS = { lateGraceMs: GRACE, unconfirmedHoldMs: HOLD };
const PAST: DecisionContext = {
  now: late,
  scannedPastDeadline: true,
  unconfirmed: [],
  formerChoice: null,
  refunds: NO_REFUNDS,
  terms: TERMS,
};
/** A refund of a part that was paid. */
const PART: OrderRefunds = { ...NO_REFUNDS, units: 40n, paid: 40n, count: 1 };

const ROWS: readonly Row[] = [
  { name: 'nothing seen before the deadline', rule: null },
  { name: 'exact and confirmed', deposits: [deposit(100n, 'CREDITED')], rule: 'paid-in-time' },
  { name: 'exact and spendable', deposits: [deposit(100n, 'SPENDABLE')], rule: 'paid-in-time' },
  { name: 'exact but only seen', deposits: [deposit(100n, 'SEEN')], rule: null },
  {
    name: 'split in two (fault 54)',
    deposits: [deposit(60n, 'CREDITED'), deposit(40n, 'CREDITED')],
    rule: 'paid-in-time',
  },
  { name: 'one unit short', deposits: [deposit(99n, 'CREDITED')], rule: null },
  { name: 'over (fault 54)', deposits: [deposit(150n, 'CREDITED')], rule: 'paid-in-time' },
  {
    name: 'short inside the tolerance',
    order: { toleranceBps: 100 },
    deposits: [deposit(99n, 'CREDITED')],
    rule: 'paid-in-time',
  },
  {
    name: 'short beyond the tolerance',
    order: { toleranceBps: 100 },
    deposits: [deposit(98n, 'CREDITED')],
    rule: null,
  },
  { name: 'orphaned money does not count', deposits: [deposit(100n, 'ORPHANED')], rule: null },
  { name: 'dust does not count (fault 88)', deposits: [deposit(100n, 'DUST')], rule: null },
  {
    name: 'another currency does not count',
    deposits: [deposit(100n, 'CREDITED', 10, { currency: 'ETH' })],
    rule: null,
  },
  { name: 'deadline, nothing seen, chain read', now: DEADLINE, scanned: true, rule: 'deadline-nothing-seen' },
  { name: 'deadline, nothing seen, node was away', now: late, scanned: false, rule: null },
  { name: 'one millisecond before the deadline', now: DEADLINE - 1, scanned: true, rule: null },
  {
    name: 'deadline without a coin',
    order: { payment: null },
    now: late,
    scanned: true,
    rule: 'deadline-nothing-seen',
  },
  { name: 'deadline, short', deposits: [deposit(40n, 'CREDITED')], now: late, scanned: true, rule: 'deadline-short' },
  {
    name: 'deadline, waits to be mined and was seen in time (fault 53)',
    now: late,
    scanned: true,
    unconfirmed: [waiting(100n)],
    rule: null,
  },
  { name: 'what waits to be mined pays nothing (fault 53)', unconfirmed: [waiting(100n)], rule: null },
  {
    name: 'short, the rest waits to be mined',
    deposits: [deposit(40n, 'CREDITED')],
    now: late,
    scanned: true,
    unconfirmed: [waiting(60n)],
    rule: null,
  },
  {
    name: 'deadline, seen in time and unconfirmed',
    deposits: [deposit(100n, 'SEEN', DEADLINE)],
    now: late,
    scanned: true,
    rule: null,
  },
  {
    name: 'confirmed after the deadline, paid in time',
    deposits: [deposit(100n, 'CREDITED', DEADLINE)],
    now: late,
    scanned: true,
    rule: 'paid-in-time',
  },
  {
    name: 'paid one millisecond late',
    deposits: [deposit(100n, 'CREDITED', late)],
    now: late,
    scanned: true,
    rule: 'deadline-nothing-seen',
  },
  {
    name: 'part in time, rest late',
    deposits: [deposit(40n, 'CREDITED'), deposit(60n, 'CREDITED', late)],
    now: late,
    scanned: true,
    rule: 'deadline-short',
  },
  {
    name: 'OVERDUE, paid late (fault 55)',
    order: { status: 'OVERDUE' },
    deposits: [deposit(100n, 'CREDITED', late)],
    now: late,
    rule: 'late-payment',
  },
  {
    name: 'PARTIAL, completed late',
    order: { status: 'PARTIAL' },
    deposits: [deposit(40n, 'CREDITED'), deposit(60n, 'CREDITED', late)],
    now: late,
    rule: 'late-payment',
  },
  {
    name: 'PARTIAL, still short',
    order: { status: 'PARTIAL' },
    deposits: [deposit(99n, 'CREDITED')],
    now: late,
    rule: null,
  },
  {
    name: 'OVERDUE, paid after the watch window',
    order: { status: 'OVERDUE' },
    deposits: [deposit(100n, 'CREDITED', WATCH_END + 1)],
    now: WATCH_END + 2,
    rule: null,
  },
  { name: 'OVERDUE without a coin', order: { status: 'OVERDUE', payment: null }, now: late, rule: null },
  {
    name: 'SUCCESS, payment gone, window open',
    order: { status: 'SUCCESS', reorgedAt: 20 },
    now: WATCH_END - 1,
    rule: null,
  },
  {
    name: 'SUCCESS, payment gone for good',
    order: { status: 'SUCCESS', reorgedAt: 20 },
    now: WATCH_END,
    rule: 'payment-reorganised-away',
  },
  {
    name: 'RESOLVED, payment gone for good',
    order: { status: 'RESOLVED', reorgedAt: 20 },
    deposits: [deposit(100n, 'ORPHANED')],
    now: WATCH_END,
    rule: 'payment-reorganised-away',
  },
  {
    name: 'SUCCESS, payment mined again and waiting',
    order: { status: 'SUCCESS', reorgedAt: 20 },
    deposits: [deposit(100n, 'SEEN')],
    now: WATCH_END,
    rule: null,
  },
  {
    name: 'SUCCESS, never reorganised',
    order: { status: 'SUCCESS' },
    deposits: [deposit(100n, 'CREDITED')],
    now: WATCH_END,
    rule: null,
  },
  {
    name: 'TERMINATED absorbs a payment (fault 44)',
    order: { status: 'TERMINATED' },
    deposits: [deposit(100n, 'CREDITED')],
    now: late,
    scanned: true,
    rule: null,
  },
  {
    name: 'REFUNDED absorbs a payment (fault 44)',
    order: { status: 'REFUNDED' },
    deposits: [deposit(100n, 'CREDITED')],
    now: late,
    scanned: true,
    rule: null,
  },
  {
    name: 'fault 349: dust waits past the deadline',
    now: late,
    scanned: true,
    unconfirmed: [waiting(1n)],
    rule: 'deadline-nothing-seen',
  },
  {
    name: 'fault 349: a part came, and what waits does not complete it',
    deposits: [deposit(40n, 'CREDITED')],
    now: late,
    scanned: true,
    unconfirmed: [waiting(59n)],
    rule: 'deadline-short',
  },
  {
    name: 'fault 349: a part in a block waits past the deadline',
    deposits: [deposit(99n, 'SEEN')],
    now: late,
    scanned: true,
    rule: 'deadline-short',
  },
  {
    name: 'fault 349: what waits completes it with two others',
    deposits: [deposit(40n, 'CREDITED'), deposit(20n, 'SEEN')],
    now: late,
    scanned: true,
    unconfirmed: [waiting(40n)],
    rule: null,
  },
  {
    name: 'fault 349: what waits completes it less the tolerance',
    order: { toleranceBps: 100 },
    now: late,
    scanned: true,
    unconfirmed: [waiting(99n)],
    rule: null,
  },
  {
    name: 'fault 349: what waits was first seen after the deadline',
    now: late,
    scanned: true,
    unconfirmed: [waiting(100n, late)],
    rule: 'deadline-nothing-seen',
  },
  {
    name: 'fault 349: the last millisecond that what waits holds it',
    now: DEADLINE + HOLD - 1,
    scanned: true,
    unconfirmed: [waiting(100n)],
    rule: null,
  },
  {
    name: 'fault 349: what waits has held it for long enough',
    now: DEADLINE + HOLD,
    scanned: true,
    unconfirmed: [waiting(100n)],
    rule: 'deadline-nothing-seen',
  },
  {
    name: 'fault 349: what is in a block holds it until it is confirmed',
    deposits: [deposit(100n, 'SEEN')],
    now: DEADLINE + HOLD,
    scanned: true,
    rule: null,
  },
  {
    name: 'fault 349: what waits is in another coin',
    now: late,
    scanned: true,
    unconfirmed: [waiting(100n, 10, 'ETH')],
    rule: 'deadline-nothing-seen',
  },
  {
    name: 'fault 349: what waits pays the coin that was chosen before',
    now: late,
    scanned: true,
    unconfirmed: [waiting(7n, 10, 'ETH')],
    former: { ...payment(), currency: 'ETH', units: 7n },
    rule: null,
  },
  {
    name: 'fault 349: dust waits in the coin that was chosen before',
    now: late,
    scanned: true,
    unconfirmed: [waiting(6n, 10, 'ETH')],
    former: { ...payment(), currency: 'ETH', units: 7n },
    rule: 'deadline-nothing-seen',
  },
  {
    name: 'fault 345: a late payment after the coin has fallen',
    order: { status: 'OVERDUE' },
    deposits: [deposit(100n, 'CREDITED', late + GRACE, { seen: rate('1.99') })],
    now: late,
    rule: null,
  },
  {
    name: 'fault 345: a late payment after the coin has fallen, enough of it',
    order: { status: 'OVERDUE' },
    deposits: [deposit(200n, 'CREDITED', late + GRACE, { seen: rate('1') })],
    now: late,
    rule: 'late-payment',
  },
  {
    name: 'fault 345: one unit less than enough',
    order: { status: 'OVERDUE' },
    deposits: [deposit(199n, 'CREDITED', late + GRACE, { seen: rate('1') })],
    now: late,
    rule: null,
  },
  {
    name: 'fault 345: a late payment after the coin has risen counts no more than its units',
    order: { status: 'OVERDUE' },
    deposits: [deposit(99n, 'CREDITED', late + GRACE, { seen: rate('4') })],
    now: late,
    rule: null,
  },
  {
    name: 'fault 345: a late payment after the fiat has risen',
    order: { status: 'OVERDUE' },
    deposits: [deposit(100n, 'CREDITED', late + GRACE, { seen: rate('2', '1.01') })],
    now: late,
    rule: null,
  },
  {
    name: 'fault 345: the fall is within the tolerance',
    order: { status: 'OVERDUE', toleranceBps: 100 },
    deposits: [deposit(100n, 'CREDITED', late + GRACE, { seen: rate('1.98') })],
    now: late,
    rule: 'late-payment',
  },
  {
    name: 'fault 345: the last millisecond of the grace',
    order: { status: 'OVERDUE' },
    deposits: [deposit(100n, 'CREDITED', DEADLINE + GRACE, { seen: rate('1') })],
    now: late,
    rule: 'late-payment',
  },
  {
    name: 'fault 345: a late payment of which no rate is known',
    order: { status: 'OVERDUE' },
    deposits: [deposit(100n, 'CREDITED', late + GRACE, { seen: null })],
    now: late,
    rule: null,
  },
  {
    name: 'fault 345: a part in time counts in full, the late rest at its own rate',
    order: { status: 'PARTIAL' },
    deposits: [
      deposit(60n, 'CREDITED', 10, { seen: null }),
      deposit(40n, 'CREDITED', late + GRACE, { seen: rate('1') }),
    ],
    now: late,
    rule: null,
  },
  {
    name: 'fault 345: a part in time, and twice the late rest after the coin has fallen by half',
    order: { status: 'PARTIAL' },
    deposits: [
      deposit(60n, 'CREDITED', 10, { seen: null }),
      deposit(80n, 'CREDITED', late + GRACE, { seen: rate('1') }),
    ],
    now: late,
    rule: 'late-payment',
  },
  {
    name: 'fault 345: a stablecoin at the price that the merchant has fixed',
    order: { status: 'OVERDUE', payment: payment(rate('1', '1', true)) },
    deposits: [deposit(100n, 'CREDITED', late + GRACE, { seen: rate('1', '1.2', true) })],
    now: late,
    rule: 'late-payment',
  },
  {
    name: 'fault 345: what an operator assigned is late too',
    order: { status: 'OVERDUE' },
    deposits: [deposit(100n, 'CREDITED', WATCH_END + 1, { seen: rate('1'), reason: 'late' })],
    now: WATCH_END + 2,
    rule: null,
  },
  {
    name: 'what an operator assigned counts after the watch window',
    order: { status: 'OVERDUE' },
    deposits: [deposit(100n, 'CREDITED', WATCH_END + 1, { reason: 'late' })],
    now: WATCH_END + 2,
    rule: 'late-payment',
  },
  {
    name: 'fault 347: a PARTIAL order is completed while its refund is under way',
    order: { status: 'PARTIAL' },
    deposits: [deposit(60n, 'CREDITED'), deposit(40n, 'CREDITED', late)],
    now: late,
    refunds: { ...NO_REFUNDS, paying: true, live: true, units: 60n, paid: 0n, count: 1 },
    rule: null,
  },
  {
    name: 'fault 347: what an OVERDUE order was refunded pays it no more',
    order: { status: 'OVERDUE' },
    deposits: [deposit(100n, 'CREDITED', late), deposit(99n, 'CREDITED', late)],
    now: late,
    refunds: { ...NO_REFUNDS, units: 100n, paid: 100n, count: 1 },
    rule: null,
  },
  {
    name: 'fault 347: a finished order loses its payment while a refund is under way',
    order: { status: 'SUCCESS', reorgedAt: 20 },
    now: WATCH_END,
    refunds: { ...NO_REFUNDS, paying: true, live: true, units: 100n, paid: 0n, count: 1 },
    rule: null,
  },
  {
    name: 'fault 464: a part of a finished order was refunded',
    order: { status: 'SUCCESS' },
    deposits: [deposit(100n, 'CREDITED')],
    now: WATCH_END,
    refunds: PART,
    rule: null,
  },
  {
    name: 'fault 464: a part of a finished order was refunded, and a reorganisation removed its payment for a while',
    order: { status: 'RESOLVED', reorgedAt: 20 },
    deposits: [deposit(100n, 'CREDITED')],
    now: WATCH_END,
    refunds: PART,
    rule: null,
  },
  {
    name: 'fault 464: a part of a finished order was refunded, and its payment is gone for good',
    order: { status: 'SUCCESS', reorgedAt: 20 },
    now: WATCH_END,
    refunds: PART,
    rule: 'payment-reorganised-away',
  },
  {
    name: 'fault 465: what a PARTIAL order was refunded does not pay it',
    order: { status: 'PARTIAL' },
    deposits: [deposit(60n, 'CREDITED'), deposit(79n, 'CREDITED', late)],
    now: late,
    refunds: PART,
    rule: null,
  },
  {
    name: 'fault 465: a PARTIAL order is completed by what makes up for its refund too',
    order: { status: 'PARTIAL' },
    deposits: [deposit(60n, 'CREDITED'), deposit(80n, 'CREDITED', late)],
    now: late,
    refunds: PART,
    rule: 'late-payment',
  },
];

describe('decideOrder', () => {
  for (const row of ROWS) {
    const { name, order: changes, deposits = [], now = 20, scanned = false, rule } = row;
    test(`${name}: ${rule ?? 'stays'}`, () => {
      const decision = decideOrder(order(changes), deposits, {
        now,
        scannedPastDeadline: scanned,
        unconfirmed: row.unconfirmed ?? [],
        formerChoice: row.former ?? null,
        refunds: row.refunds ?? NO_REFUNDS,
        terms: TERMS,
      });
      assert.equal(decision?.rule ?? null, rule);
    });
  }

  test('has a row or a null for every status and every event: no payment and no time moves what has ended', () => {
    const paid = [[deposit(100n, 'CREDITED')], [deposit(100n, 'CREDITED', late)], [deposit(40n, 'CREDITED')], []];
    const expected: Readonly<Record<OrderStatus, readonly (OrderRule | null)[]>> = {
      PENDING: ['paid-in-time', 'deadline-nothing-seen', 'deadline-short', 'deadline-nothing-seen'],
      OVERDUE: ['late-payment', 'late-payment', null, null],
      PARTIAL: ['late-payment', 'late-payment', null, null],
      SUCCESS: [null, null, null, null],
      RESOLVED: [null, null, null, null],
      TERMINATED: [null, null, null, null],
      REFUNDED: [null, null, null, null],
    };
    for (const status of ORDER_STATUSES) {
      const decided = (refunds: OrderRefunds) =>
        paid.map((deposits) => decideOrder(order({ status }), deposits, { ...PAST, refunds })?.rule ?? null);
      assert.deepEqual(decided(NO_REFUNDS), expected[status], status);
      assert.deepEqual(
        decided({ ...NO_REFUNDS, paying: true, live: true, units: 1n, paid: 0n, count: 1 }),
        [null, null, null, null],
        `${status}, beside a refund`,
      );
    }
  });

  test('says what it looked at', () => {
    const decision = decideOrder(order(), [deposit(70n, 'CREDITED'), deposit(30n, 'CREDITED', late)], PAST);
    assert.deepEqual(decision, {
      rule: 'deadline-short',
      inputs: {
        now: late,
        deadline: DEADLINE,
        watchUntil: WATCH_END,
        due: '100',
        required: '100',
        toleranceBps: 0,
        confirmed: '100',
        confirmedInTime: '70',
        counted: '100',
        unconfirmed: '0',
      },
    });
  });

  test('never calls an order paid on less than the amount less the tolerance, whatever was sent', () => {
    const arbitrary = fc.record({
      status: fc.constantFrom<OrderStatus>(...ORDER_STATUSES),
      toleranceBps: fc.integer({ min: 0, max: 500 }),
      deposits: fc.array(
        fc.record({
          units: fc.bigInt({ min: 1n, max: 60n }),
          status: fc.constantFrom<DepositStatus>('SEEN', 'CREDITED', 'SPENDABLE', 'ORPHANED'),
          paidAt: fc.integer({ min: 0, max: 6_000 }),
        }),
        { maxLength: 6 },
      ),
      now: fc.integer({ min: 0, max: 6_000 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ status, toleranceBps, deposits, now }) => {
        const rows = deposits.map(({ units, status: each, paidAt }) => deposit(units, each, paidAt));
        const decision = decideOrder(order({ status, toleranceBps }), rows, { ...PAST, now });
        const confirmed = rows
          .filter((row) => row.status === 'CREDITED' || row.status === 'SPENDABLE')
          .reduce((sum, { units }) => sum + units, 0n);
        if (decision?.rule === 'paid-in-time' || decision?.rule === 'late-payment')
          assert.ok(confirmed >= amountRequired(100n, toleranceBps));
        if (decision?.rule.startsWith('deadline')) assert.ok(now >= DEADLINE && status === 'PENDING');
      }),
    );
  });

  test('fault 345: never completes an order after the grace for less than its price at the worse of both rates, whatever came', () => {
    const price = fc.integer({ min: 1, max: 5_000 }).map((cents) => (cents / 100).toFixed(2));
    const arbitrary = fc.record({
      agreed: price,
      parts: fc.array(
        fc.record({
          units: fc.bigInt({ min: 1n, max: 200n }),
          seen: fc.option(price),
          paidAt: fc.integer({ min: 0, max: 4_000 }),
        }),
        { maxLength: 4 },
      ),
    });
    fc.assert(
      fc.property(arbitrary, ({ agreed, parts }) => {
        const late_ = order({ status: 'OVERDUE', payment: payment(rate(agreed)) });
        const rows = parts.map(({ units, seen, paidAt }) =>
          deposit(units, 'CREDITED', paidAt, { seen: seen === null ? null : rate(seen) }),
        );
        if (decideOrder(late_, rows, PAST)?.rule !== 'late-payment') return;
        const cents = (text: string): number => Math.round(Number(text) * 100);
        const worth = parts.reduce((sum, { units, seen, paidAt }) => {
          const inTime = paidAt <= DEADLINE + GRACE;
          const lower = seen === null ? 0 : Math.min(cents(seen), cents(agreed));
          return sum + Number(units) * (inTime ? cents(agreed) : lower);
        }, 0);
        assert.ok(worth >= 100 * cents(agreed), `${worth} of ${100 * cents(agreed)}`);
      }),
    );
  });

  test('fault 345: what a late payment counts is rounded down, and never more than came', () => {
    const digits = fc.bigInt({ min: 1n, max: 10n ** 12n }).map(String);
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), digits, digits, (units, agreed, seen) => {
        const counted = unitsAtWorseRate(units, rate(agreed), rate(seen));
        assert.ok(counted <= units);
        assert.ok(counted * BigInt(agreed) <= units * BigInt(seen));
        assert.ok(counted === units || (counted + 1n) * BigInt(agreed) > units * BigInt(seen));
      }),
    );
    const { units } = payment();
    assert.equal(countedUnits(order(), deposit(units, 'CREDITED', late + GRACE, { seen: rate('1.999') }), GRACE), 99n);
  });

  test("amountRequired rounds in the merchant's favour", () => {
    assert.equal(amountRequired(999n, 100), 990n);
    assert.equal(amountRequired(1n, 500), 1n);
    assert.equal(amountRequired(10_000n, 0), 10_000n);
  });
});
