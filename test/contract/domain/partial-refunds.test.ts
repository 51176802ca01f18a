import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  isTillgateError,
  PARTIAL_REFUNDS,
  readDecimal,
  rejectTransfer,
  settleHeldTransfer,
} from '../../../core/index.ts';
import type { ErrorCode, Order, RefundInput, Transfer, TransferId } from '../../../core/index.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';
import { dataIn, eventsFor, subscribe, typesOf } from '../../support/subscribe.ts';

const ETHER = 10n ** 18n;
const MINUTE = 60_000;
const decimal = (text: string) => {
  const value = readDecimal(text);
  assert(value !== null);
  return value;
};
const amount = (text: string): RefundInput => ({ amount: decimal(text) });
const fiat = (text: string, rate?: 'order' | 'current'): RefundInput => ({ fiatAmount: decimal(text), rate });

const ask = (till: MoneyDomain, { id }: Order, input: RefundInput = {}) =>
  till.refund.run(till.principal, id, null, null, input);

/** A refusal with this code, which names this field and says this. */
const refusal =
  (code: ErrorCode, message = /./, field?: string) =>
  (error: unknown): boolean =>
    isTillgateError(error, code) &&
    message.test(error.message) &&
    (field === undefined || error.details.fields?.[0]?.path === field);

const refunds = ({ storage }: MoneyDomain, { id }: Order): Promise<readonly Transfer[]> =>
  storage.transfers.refundsOf([id]);
const unitsOf = async (till: MoneyDomain, order: Order): Promise<readonly bigint[]> =>
  (await refunds(till, order)).map(({ units }) => units);
const statusOf = async (till: MoneyDomain, { id }: Order): Promise<string> => (await till.order(id)).status;
const parts = async ({ storage }: MoneyDomain, { id }: Order) =>
  (await storage.orders.history(id)).filter(({ rule }) => rule === 'refund-partial');

/** Requests a refund and waits until it is final. */
async function refunded(till: MoneyDomain, order: Order, input: RefundInput = {}): Promise<void> {
  await ask(till, order, input);
  await till.settle();
  assert.equal((await refunds(till, order)).at(-1)?.status, 'CONFIRMED');
}

let payments = 0;

/** A payment to an order in a block, with enough blocks on top to spend it. */
async function pay(till: MoneyDomain, { payment }: Order, units: bigint): Promise<void> {
  const txid = `part${(payments += 1)}`;
  till.eth.mine({ to: payment?.address ?? '', currency: 'ETH', units, txid, from: 'eth-payer' });
  till.eth.mineEmpty(8);
  await till.follow();
}

/** An order of 1 ether, priced at 2,000 US dollars, and coins of the till itself for fees. */
async function paid(till: MoneyDomain): Promise<Order> {
  await till.float(2n * ETHER);
  return till.fund('ETH', '2000');
}

/** An order of 1 ether to which this much was paid before its deadline. */
async function partlyPaid(till: MoneyDomain, units: bigint): Promise<Order> {
  await till.float(2n * ETHER);
  const order = await till.newOrder({ chain: 'ETH', currency: 'ETH', price: '2000' });
  await till.choosePayment.setRefundAddress(order.checkoutToken, 'eth-payer');
  till.clock.advance(1);
  await pay(till, order, units);
  till.clock.advance(31 * MINUTE);
  await till.expire();
  assert.equal(await statusOf(till, order), 'PARTIAL');
  return order;
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);
  const approved = testsOf(open, buildMoney, { withdrawals: { approveAbove: new Map([['ETH', '0.5']]) } });
  const held = testsOf(open, buildMoney, { withdrawals: { approveAbove: new Map([['ETH', '0.001']]) } });
  const spread = testsOf(open, buildMoney, { orders: { spreadBps: 250 } });

  describe(`refunds of parts on ${engine}`, () => {
    money('follow one another; the one that takes the rest ends the order', async (till) => {
      const order = await paid(till);
      const endpoint = await subscribe(till.storage, till.principal.accountId, { events: ['refund.*', 'order.*'] });
      await refunded(till, order, amount('0.25'));
      assert.equal(await statusOf(till, order), 'SUCCESS');
      await refunded(till, order, amount('0.5'));
      assert.equal(await statusOf(till, order), 'SUCCESS');
      await refunded(till, order);
      assert.equal(await statusOf(till, order), 'REFUNDED');
      assert.deepEqual(await unitsOf(till, order), [ETHER / 4n, ETHER / 2n, ETHER / 4n]);
      await assert.rejects(ask(till, order, amount('0.1')), refusal('STATE_CONFLICT', /has a refund already/));
      assert.deepEqual(
        till.ethPayments.paidTo('eth-payer', 'ETH'),
        (await refunds(till, order)).map(({ units, feeUnits }) => units - feeUnits),
      );
      const events = await eventsFor(till.storage, endpoint);
      const refund = ['refund.requested', 'refund.succeeded'];
      assert.deepEqual([...typesOf(events)].sort(), ['order.refunded', ...refund, ...refund, ...refund].sort());
      assert.deepEqual(
        events.filter(({ event }) => event === 'refund.succeeded').map((event) => dataIn(event)['amount']),
        ['0.25', '0.5', '0.25'],
      );
      const end = events.find(({ event }) => event === 'order.refunded');
      assert(end !== undefined);
      const { status, received, refunded_amount, refundable_amount, refundable } = dataIn(end);
      assert.deepEqual(
        [status, received, refunded_amount, refundable_amount, refundable],
        ['REFUNDED', '1', '1', '0', false],
      );
    });

    money('an amount that is all that is left ends the order as well', async (till) => {
      const order = await paid(till);
      await refunded(till, order, amount('0.25'));
      await refunded(till, order, amount('0.75'));
      assert.equal(await statusOf(till, order), 'REFUNDED');
      assert.equal((await parts(till, order)).length, 1);
    });

    money('fault 466: an amount is more than 0, has the decimals of its currency, and is left', async (till) => {
      const order = await paid(till);
      await refunded(till, order, amount('0.25'));
      const left = /at most the 0\.75 ETH that are left/;
      for (const wrong of ['0', '0.7500000000000000001', '0.750000000000000001', '1', '1e60'])
        await assert.rejects(ask(till, order, amount(wrong)), refusal('INVALID_FIELDS', left, 'amount'), wrong);
      for (const wrong of ['0', '0.001', '1500.01', '1e60'])
        await assert.rejects(ask(till, order, fiat(wrong)), refusal('INVALID_FIELDS', left, 'fiatAmount'), wrong);
      await assert.rejects(ask(till, order, fiat('1500.01', 'current')), refusal('INVALID_FIELDS', left, 'fiatAmount'));
      await assert.rejects(
        ask(till, order, amount('0.000000000000000001')),
        refusal('INVALID_FIELDS', /fee/, 'amount'),
      );
      assert.deepEqual(await unitsOf(till, order), [ETHER / 4n], 'nothing was requested');
    });

    money('has one amount, and a rate only with one in fiat', async (till) => {
      const order = await paid(till);
      const [coin, price] = [decimal('0.1'), decimal('10')];
      for (const [input, field] of [
        [{ amount: coin, fiatAmount: price }, 'fiatAmount'],
        [{ amount: coin, surplus: true }, 'surplus'],
        [{ fiatAmount: price, surplus: true }, 'surplus'],
        [{ rate: 'current' }, 'rate'],
        [{ amount: coin, rate: 'order' }, 'rate'],
      ] as const)
        await assert.rejects(ask(till, order, input), refusal('INVALID_FIELDS', /must be absent/, field));
      assert.deepEqual(await unitsOf(till, order), []);
    });

    money('an amount in fiat counts at the rate of the order, whatever it is now, rounded down', async (till) => {
      till.rates.prices.set('ETH', '3000');
      await till.rateBook.refresh();
      await till.float(2n * ETHER);
      const order = await till.fund('ETH', '2000.01');
      till.rates.prices.set('ETH', '1000');
      till.clock.advance(11 * MINUTE);
      await till.rateBook.refresh();
      const due = order.payment?.units ?? 0n;
      assert.equal(due, 66667n * 10n ** 13n);
      await refunded(till, order, fiat('1000.01'));
      assert.deepEqual(await unitsOf(till, order), [(due * 100_001n) / 200_001n]);
      const [entry] = await parts(till, order);
      assert.deepEqual(
        [entry?.inputs['fiatAmount'], entry?.inputs['vsCurrency'], entry?.inputs['rate'], entry?.rate],
        ['1000.01', 'USD', 'order', null],
      );
      await refunded(till, order, fiat('1000'));
      assert.equal(await statusOf(till, order), 'SUCCESS', 'one unit is left');
      assert.equal((await till.order(order.id)).received, (await unitsOf(till, order)).reduce((a, b) => a + b) + 1n);
    });

    money('the price at the rate of the order is the whole amount due', async (till) => {
      till.rates.prices.set('ETH', '3000');
      await till.rateBook.refresh();
      await till.float(2n * ETHER);
      const order = await till.fund('ETH', '2000');
      await refunded(till, order, fiat('2000.00'));
      assert.equal(await statusOf(till, order), 'REFUNDED');
    });

    spread('the present rate is without the spread that payers pay, and is kept with the refund', async (till) => {
      const order = await paid(till);
      till.rates.prices.set('ETH', '3000');
      till.clock.advance(11 * MINUTE);
      await till.rateBook.refresh();
      await refunded(till, order, fiat('1000', 'current'));
      assert.deepEqual(await unitsOf(till, order), [333333333333333333n]);
      const [entry] = await parts(till, order);
      assert.deepEqual(
        [entry?.rate?.coin.usd, entry?.rate?.spreadBps, entry?.inputs['rate']],
        ['3000', undefined, 'current'],
      );
    });

    money('without a usable rate nothing is refunded at the present one', async (till) => {
      const order = await paid(till);
      till.rates.prices.delete('ETH');
      till.clock.advance(11 * MINUTE);
      await till.rateBook.refresh();
      await assert.rejects(ask(till, order, fiat('100', 'current')), refusal('NOT_READY', /no usable price of ETH/));
      assert.deepEqual(await unitsOf(till, order), []);
    });

    money('the surplus is what is left beyond the amount due', async (till) => {
      const order = await paid(till);
      await assert.rejects(ask(till, order, { surplus: true }), refusal('STATE_CONFLICT', /no surplus/));
      await pay(till, order, ETHER / 2n);
      await refunded(till, order, amount('0.2'));
      await refunded(till, order, { surplus: true });
      assert.deepEqual(await unitsOf(till, order), [ETHER / 5n, (ETHER * 3n) / 10n]);
      assert.equal(await statusOf(till, order), 'SUCCESS');
      await assert.rejects(ask(till, order, { surplus: true }), refusal('STATE_CONFLICT', /no surplus/));
    });

    money('fault 467: ten that ask for the rest at once are paid once, and so are ten for a part', async (till) => {
      const order = await paid(till);
      for (const input of [amount('0.4'), {}]) {
        const asked = await Promise.allSettled(Array.from({ length: 10 }, () => ask(till, order, input)));
        assert.equal(asked.filter(({ status }) => status === 'fulfilled').length, 1);
        for (const each of asked)
          if (each.status === 'rejected')
            assert.ok(isTillgateError(each.reason, 'STATE_CONFLICT'), String(each.reason));
        await till.checkBooks();
        await till.settle();
      }
      assert.deepEqual(await unitsOf(till, order), [(ETHER * 4n) / 10n, (ETHER * 6n) / 10n]);
      assert.equal(till.ethPayments.paidTo('eth-payer', 'ETH').length, 2);
      assert.equal(await statusOf(till, order), 'REFUNDED');
    });

    money('one that failed does not count, and does not end the order', async (till) => {
      const order = await paid(till);
      await ask(till, order, amount('0.4'));
      const [failed] = await refunds(till, order);
      const context = { ids: till.ids, now: till.clock.now() };
      await till.storage.transaction((tx) => rejectTransfer(tx, failed?.id as TransferId, 'No.', context));
      await refunded(till, order);
      assert.deepEqual(await unitsOf(till, order), [(ETHER * 4n) / 10n, ETHER]);
      assert.equal(await statusOf(till, order), 'REFUNDED');
    });

    money('the same idempotency key is the same part; another amount with it is a mistake', async (till) => {
      const order = await paid(till);
      const claim = {
        route: '/refunds',
        key: 'part',
        bodyHash: 'a'.repeat(64),
        expiresAt: till.clock.now() + 86_400_000,
      };
      const first = await till.refund.run(till.principal, order.id, claim, null, amount('0.4'));
      assert.deepEqual(await till.refund.run(till.principal, order.id, claim, null, amount('0.4')), first);
      await till.settle();
      assert.equal((await till.refund.run(till.principal, order.id, claim, null, amount('0.4'))).amount, '0.4');
      const other = { ...claim, bodyHash: 'b'.repeat(64) };
      await assert.rejects(
        till.refund.run(till.principal, order.id, other, null, amount('0.5')),
        refusal('IDEMPOTENCY_MISMATCH'),
      );
      assert.equal((await refunds(till, order)).length, 1);
    });

    approved('fault 468: parts of an order count together for the approval of a refund', async (till) => {
      const order = await paid(till);
      await refunded(till, order, amount('0.4'));
      await refunded(till, order, amount('0.1'));
      await ask(till, order, amount('0.000001'));
      assert.deepEqual(
        (await refunds(till, order)).map(({ status }) => status),
        ['CONFIRMED', 'CONFIRMED', 'HELD'],
      );
    });

    held('fault 468: an order has so many and no more; what is left can be refunded after them', async (till) => {
      const order = await till.fund('ETH', '2000');
      const cost = { currency: 'ETH', units: 1n };
      const { ids, stateMachine } = till;
      for (let each = 0; each < PARTIAL_REFUNDS; each++) {
        await ask(till, order, amount('0.01'));
        const { id, units } = (await refunds(till, order)).at(-1) as Transfer;
        const found = { txHash: `found${each}`, cost, obtainedUnits: units - 1n };
        const context = { ids, stateMachine, now: till.clock.now() };
        await till.storage.transaction((tx) => settleHeldTransfer(tx, id, found, context));
      }
      await assert.rejects(ask(till, order, amount('0.1')), refusal('STATE_CONFLICT', /has 50 refunds/));
      assert.equal((await ask(till, order)).amount, '0.5');
    });
  });

  describe(`an order of which a part was refunded on ${engine}`, () => {
    money('fault 464: stays SUCCESS, also when it is decided again', async (till) => {
      const order = await paid(till);
      await refunded(till, order, amount('0.9'));
      till.clock.advance(25 * 60 * MINUTE);
      await till.expire();
      assert.equal(await statusOf(till, order), 'SUCCESS');
      assert.equal((await till.order(order.id)).reorgedAt, null);
      const detail = await till.queries.detail(till.principal.accountId, order.id);
      assert.equal(detail.refund, true);
    });

    money('fault 465: is completed only by what makes up for the refund too', async (till) => {
      const order = await partlyPaid(till, (6n * ETHER) / 10n);
      await refunded(till, order, amount('0.2'));
      assert.equal(await statusOf(till, order), 'PARTIAL');
      await pay(till, order, (4n * ETHER) / 10n);
      assert.equal(await statusOf(till, order), 'PARTIAL', 'ten tenths came, and two of them went back');
      await pay(till, order, (2n * ETHER) / 10n);
      assert.equal(await statusOf(till, order), 'RESOLVED');
      const rules = (await till.storage.orders.history(order.id)).map(({ rule }) => rule);
      assert.deepEqual(
        rules.filter((rule) => rule === 'payment-beside-refund' || rule === 'late-payment'),
        ['payment-beside-refund', 'late-payment'],
      );
    });

    money('is decided again when the refund of a part ends, for no payment moved it meanwhile', async (till) => {
      const order = await partlyPaid(till, (6n * ETHER) / 10n);
      await ask(till, order, amount('0.2'));
      await pay(till, order, (6n * ETHER) / 10n);
      assert.equal(await statusOf(till, order), 'PARTIAL');
      await till.settle();
      await till.expire();
      assert.equal(await statusOf(till, order), 'RESOLVED');
    });

    money('can be accepted as it is, though not while a refund is in progress', async (till) => {
      const order = await partlyPaid(till, (6n * ETHER) / 10n);
      await ask(till, order, amount('0.1'));
      await assert.rejects(
        till.orderAdminActions.resolve(order.id, 'merchant'),
        refusal('STATE_CONFLICT', /under way/),
      );
      await till.settle();
      await till.orderAdminActions.resolve(order.id, 'merchant');
      assert.equal(await statusOf(till, order), 'RESOLVED');
    });

    money('fault 469: that loses its payment to a reorganisation is a loss, as one refunded in full', async (till) => {
      const order = await paid(till);
      await ask(till, order, amount('0.4'));
      await till.payOut();
      till.eth.drop(11);
      till.eth.mineEmpty(12);
      await till.follow();
      assert.notEqual((await till.order(order.id)).reorgedAt, null);
      assert.equal((await till.order(order.id)).received, 0n);
      const [loss] = await till.storage.ledger.balances('loss:');
      assert.equal(loss?.units, (ETHER * -4n) / 10n);
      await till.checkBooks();
      const freeze = await till.storage.transfers.freeze(till.principal.accountId);
      assert.match(freeze?.reason ?? '', /0\.4 ETH are missing/);
      await till.settle();
      assert.equal(await statusOf(till, order), 'SUCCESS', 'not all that it received was refunded');
      await assert.rejects(ask(till, order), refusal('STATE_CONFLICT'));
      till.clock.advance(25 * 60 * MINUTE);
      await till.follow();
      await till.expire();
      assert.equal(await statusOf(till, order), 'TERMINATED');
    });

    money('fault 469: whose payment is mined again has what is left of it', async (till) => {
      const order = await paid(till);
      await ask(till, order, amount('0.4'));
      await till.payOut();
      till.eth.drop(11);
      till.eth.mineEmpty(1);
      await till.follow();
      await till.settle();
      assert.equal(await statusOf(till, order), 'SUCCESS');
      await pay(till, order, ETHER);
      await till.storage.transaction((tx) => tx.transfers.unfreeze(till.principal.accountId));
      assert.equal((await till.order(order.id)).reorgedAt, null);
      await refunded(till, order);
      assert.deepEqual(await unitsOf(till, order), [(ETHER * 4n) / 10n, (ETHER * 6n) / 10n]);
      assert.equal(await statusOf(till, order), 'REFUNDED');
    });

    money('ends by a refund of all that was left when it was requested, whatever comes meanwhile', async (till) => {
      const order = await paid(till);
      await refunded(till, order, amount('0.4'));
      await ask(till, order);
      await pay(till, order, 1n);
      await till.settle();
      assert.equal(await statusOf(till, order), 'REFUNDED');
    });

    money('is not paid out twice by a withdrawal: what is left of the balance bounds it', async (till) => {
      const order = await paid(till);
      await refunded(till, order, amount('0.4'));
      await till.withdraw('0.3');
      await assert.rejects(ask(till, order), refusal('STATE_CONFLICT', /available balance/));
      await refunded(till, order, amount('0.3'));
      assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 1);
    });
  });
});
