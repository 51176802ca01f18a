import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { isTillgateError, readDecimal } from '../../../core/index.ts';
import type { Order, HostedOrderInput } from '../../../core/index.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const LEAST = 680n;
const PAGE = { page: 1, size: 100 };
let payments = 0;

/** Mines payments to an order, and blocks until all of them can be spent. */
async function payIn(till: MoneyDomain, order: Order, ...units: readonly bigint[]): Promise<void> {
  const to = order.payment?.address ?? '';
  till.btc.mine(...units.map((each) => ({ to, currency: 'BTC', units: each, txid: `dust${(payments += 1)}` })));
  till.btc.mineEmpty(till.btc.policy.spendableConfirmations);
  await till.follow(till.btc);
}

const orderOf = (till: MoneyDomain, price: string): Promise<Order> =>
  till.newOrder({ chain: 'BTC', currency: 'BTC', price });
const statusesOf = async (till: MoneyDomain, { id }: Order): Promise<readonly string[]> =>
  (await till.storage.deposits.byOrder(id)).map(({ status }) => status);
const tooSmall = (error: unknown): boolean =>
  isTillgateError(error, 'AMOUNT_OUT_OF_RANGE') && /at least 0\.0003 BTC/.test(error.message);

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney, { btcMinDeposit: LEAST });

  describe(`deposits that cost more to spend than they are worth, on ${engine}`, () => {
    money('fault 88: dust is recorded with its reason, credited as nothing and no coin of the till', async (till) => {
      const order = await orderOf(till, '10');
      await payIn(till, order, LEAST - 1n);
      assert.deepEqual(await statusesOf(till, order), ['DUST']);
      assert.deepEqual([await till.balance('pending', 'BTC'), await till.balance('available', 'BTC')], [0n, 0n]);
      assert.deepEqual(await till.storage.transfers.freeCoins('BTC', 'BTC', 10), []);
      assert.equal((await till.storage.transfers.expectedCustody('BTC')).get('BTC') ?? 0n, 0n);
      const [row] = (await till.queries.transactions(till.principal.accountId, PAGE)).items;
      assert.deepEqual([row?.amount, row?.obtained, row?.fee], ['0.00000679', '0', '0']);
      const entry = (await till.queries.history(order.id))?.entries.at(-1);
      assert.equal(entry?.rule, 'deposit-dust');
      assert.deepEqual([entry.inputs['units'], entry.inputs['minDeposit']], ['679', '680']);
      assert.equal((await till.queries.detail(till.principal.accountId, order.id)).obtained, null);
    });

    money('fault 88: one unit more is credited in full', async (till) => {
      const order = await orderOf(till, '10');
      await payIn(till, order, LEAST);
      assert.deepEqual(await statusesOf(till, order), ['SPENDABLE']);
      assert.equal(await till.balance('available', 'BTC'), LEAST);
    });

    money(
      'fault 88: an order that is paid in dust is not paid, and real money pays it beside the dust',
      async (till) => {
        const split = await orderOf(till, '10');
        await payIn(till, split, ...Array.from({ length: 40 }, () => 600n));
        const paid = await orderOf(till, '10');
        await payIn(till, paid, 600n, paid.payment?.units ?? 0n);
        till.clock.advance(3_600_000);
        till.btc.mine();
        await till.expire();
        assert.equal((await till.order(split.id)).status, 'OVERDUE');
        assert.equal((await till.order(split.id)).received, 0n);
        assert.equal((await till.order(paid.id)).status, 'SUCCESS');
        assert.equal((await till.order(paid.id)).received, paid.payment?.units);
      },
    );

    money('fault 88: a reorganisation takes dust away and brings it back, and books nothing', async (till) => {
      const order = await orderOf(till, '10');
      await payIn(till, order, 600n);
      const [payment] = till.btc.paid;
      assert.ok(payment !== undefined);
      till.btc.drop(till.btc.policy.spendableConfirmations + 1);
      till.btc.mineEmpty(till.btc.policy.spendableConfirmations + 2);
      await till.follow(till.btc);
      assert.deepEqual(await statusesOf(till, order), ['ORPHANED']);
      assert.equal((await till.queries.transactions(till.principal.accountId, PAGE)).items[0]?.status, 'FAILED');
      till.btc.mine(payment);
      till.btc.mineEmpty(5);
      await till.follow(till.btc);
      assert.deepEqual(await statusesOf(till, order), ['DUST']);
      assert.equal((await till.queries.transactions(till.principal.accountId, PAGE)).items[0]?.status, 'SUCCESS');
      assert.equal(await till.balance('available', 'BTC'), 0n);
    });

    money('an order that got nothing but dust can be cancelled', async (till) => {
      const order = await orderOf(till, '10');
      await payIn(till, order, 600n);
      await till.orderAdminActions.terminate(order.id, 'merchant');
      assert.equal((await till.order(order.id)).status, 'TERMINATED');
    });
  });

  const dear = testsOf(open, buildMoney, { btcMinDeposit: 30_000n });

  describe(`orders of too little on ${engine}`, () => {
    dear('fault 88: an order whose amount would be dust is refused, with the least amount', async (till) => {
      await assert.rejects(orderOf(till, '10'), tooSmall);
      assert.equal((await orderOf(till, '15')).payment?.units, 30_000n);
    });

    dear('fault 88: the payer is not offered a coin in which the amount would be dust', async (till) => {
      const vsPrice = readDecimal('10');
      assert.ok(vsPrice !== null);
      const hosted: HostedOrderInput = { vsCurrency: 'USD', vsPrice };
      const order = await till.createOrder.hosted(till.principal, hosted);
      const offered = (await till.choosePayment.options(order)).map(({ asset }) => asset.currency);
      assert.ok(offered.includes('ETH') && !offered.includes('BTC'), offered.join());
      await assert.rejects(till.choosePayment.choose(order.checkoutToken, 'BTC', 'BTC'), tooSmall);
    });
  });
});
