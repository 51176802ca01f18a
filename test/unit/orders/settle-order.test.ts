import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { amountRequired, decideOrder, ORDER_STATUSES } from '../../../core/index.ts';
import type { Deposit, DepositStatus, Order, OrderRule, OrderStatus } from '../../../core/index.ts';

const DEADLINE = 1_000;
const WATCH_END = 5_000;

const order = (changes: Partial<Order> = {}): Order =>
  ({
    id: '1',
    status: 'PENDING',
    payment: { chain: 'ETH', currency: 'USDT-ERC20', units: 100n, address: 'a', rate: null, chosenAt: 0 },
    received: 0n,
    toleranceBps: 0,
    expiresAt: DEADLINE,
    watchUntil: WATCH_END,
    reorgedAt: null,
    ...changes,
  }) as unknown as Order;

const deposit = (units: bigint, status: DepositStatus, paidAt = 10, currency = 'USDT-ERC20'): Deposit =>
  ({
    chain: 'ETH',
    currency,
    units,
    returnCostUnits: 0n,
    status,
    paidAt,
    unassignedReason: null,
  }) as unknown as Deposit;

interface Row {
  readonly name: string;
  readonly order?: Partial<Order>;
  readonly deposits?: readonly Deposit[];
  readonly now?: number;
  readonly scanned?: boolean;
  readonly unconfirmed?: boolean;
  readonly rule: OrderRule | null;
}

const late = DEADLINE + 1;
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
  { name: 'another currency does not count', deposits: [deposit(100n, 'CREDITED', 10, 'ETH')], rule: null },
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
    unconfirmed: true,
    rule: null,
  },
  { name: 'what waits to be mined pays nothing (fault 53)', unconfirmed: true, rule: null },
  {
    name: 'short, the rest waits to be mined',
    deposits: [deposit(40n, 'CREDITED')],
    now: late,
    scanned: true,
    unconfirmed: true,
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
];

describe('decideOrder', () => {
  for (const { name, order: changes, deposits = [], now = 20, scanned = false, unconfirmed = false, rule } of ROWS) {
    test(`${name}: ${rule ?? 'stays'}`, () => {
      const decision = decideOrder(order(changes), deposits, {
        now,
        scannedPastDeadline: scanned,
        unconfirmedSeenInTime: unconfirmed,
      });
      assert.equal(decision?.rule ?? null, rule);
    });
  }

  test('says what it looked at', () => {
    const decision = decideOrder(order(), [deposit(70n, 'CREDITED'), deposit(30n, 'CREDITED', late)], {
      now: late,
      scannedPastDeadline: true,
      unconfirmedSeenInTime: false,
    });
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
        const decision = decideOrder(order({ status, toleranceBps }), rows, {
          now,
          scannedPastDeadline: true,
          unconfirmedSeenInTime: false,
        });
        const confirmed = rows
          .filter((row) => row.status === 'CREDITED' || row.status === 'SPENDABLE')
          .reduce((sum, { units }) => sum + units, 0n);
        if (decision?.rule === 'paid-in-time' || decision?.rule === 'late-payment')
          assert.ok(confirmed >= amountRequired(100n, toleranceBps));
        if (decision?.rule.startsWith('deadline')) assert.ok(now >= DEADLINE && status === 'PENDING');
      }),
    );
  });

  test("amountRequired rounds in the merchant's favour", () => {
    assert.equal(amountRequired(999n, 100), 990n);
    assert.equal(amountRequired(1n, 500), 1n);
    assert.equal(amountRequired(10_000n, 0), 10_000n);
  });
});
