import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ChainFollower, checkLedger, SHOWN_PAYMENTS } from '../../../core/index.ts';
import type { Order, Storage } from '../../../core/index.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain } from '../../support/domain.ts';
import type { FakeChain, FakePayment } from '../../support/fake-chain.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney } from '../../support/money.ts';
import { testsOf } from '../../support/storage.ts';

const USDT = 1_000_000n;
const MANY = 800;

const pay = (order: Order, units: bigint, txid: string, index = '0'): FakePayment => ({
  to: order.payment?.address ?? '',
  currency: order.payment?.currency ?? '',
  units,
  txid,
  index,
});
const crumbs = (order: Order, count: number, units = 1n): readonly FakePayment[] =>
  Array.from({ length: count }, (_, index) => pay(order, units, 'spray', String(index)));

/** A follower that continues from the stored cursor, and counts its transactions. */
interface Pass {
  step(): Promise<string>;
  count(): number;
}

/** @param slowMs - how long each transaction takes */
async function counting(domain: Domain, chain: FakeChain, slowMs = 0): Promise<Pass> {
  let count = 0;
  const storage = new Proxy(domain.storage, {
    get: (target, name) => {
      if (name !== 'transaction') return Reflect.get(target, name, target) as unknown;
      return (work: Parameters<Storage['transaction']>[0]) => {
        count += 1;
        domain.clock.advance(slowMs);
        return target.transaction(work);
      };
    },
  });
  const { stateMachine, clock, ids, events, logger, metrics, latePayments } = domain;
  const follower = new ChainFollower(chain, {
    storage,
    stateMachine,
    clock,
    ids,
    events,
    logger,
    metrics,
    latePayments,
  });
  await follower.start();
  const lease = await domain.lease(chain);
  return { step: () => follower.step(lease), count: () => count };
}

async function toTheEnd({ step }: Pass): Promise<void> {
  while ((await step()) === 'advanced');
}

eachStorage((engine, open) => {
  const till = testsOf(open, buildDomain);
  const money = testsOf(open, buildMoney, { btcMinDeposit: 680n });

  describe(`many payments to one order, on ${engine}`, () => {
    till(
      'fault 332: they hold up no other order, and take few transactions and rows of the history',
      async (domain) => {
        const [flooded, other] = [await domain.newOrder(), await domain.newOrder()];
        domain.eth.mine(...crumbs(flooded, MANY), pay(other, 10n * USDT, 'other'));
        domain.eth.mineEmpty(2);
        const pass = await counting(domain, domain.eth);
        // This step reads the blocks, and settles: an order with a single payment comes before the flooded one.
        assert.equal(await pass.step(), 'advanced');
        assert.equal((await domain.order(other.id)).status, 'SUCCESS');
        assert.ok((await domain.order(flooded.id)).received < BigInt(MANY), 'the flooded order is not settled at once');
        await toTheEnd(pass);
        assert.equal((await domain.order(flooded.id)).received, BigInt(MANY));
        domain.eth.mineEmpty(6);
        await toTheEnd(pass);
        assert.equal(await domain.balance('available', 'USDT-ERC20'), 10n * USDT + BigInt(MANY));
        assert.ok(pass.count() < 60, `${pass.count()} transactions`);
        assert.ok((await domain.storage.orders.history(flooded.id)).length <= 2);
        assert.deepEqual(await checkLedger(domain.storage), []);
      },
    );

    till('fault 381: a slow database ends a step early', async (domain) => {
      const [flooded, other] = [await domain.newOrder(), await domain.newOrder()];
      domain.eth.mine(...crumbs(flooded, MANY));
      domain.eth.mineEmpty(2);
      const pass = await counting(domain, domain.eth, 400);
      assert.equal(await pass.step(), 'advanced');
      const after = (await domain.order(flooded.id)).received;
      assert.ok(after > 0n && after <= 150n, `${after} of ${MANY} in one step`);
      domain.eth.mine(pay(other, 10n * USDT, 'other'));
      domain.eth.mineEmpty(2);
      assert.equal(await pass.step(), 'advanced');
      assert.equal((await domain.order(other.id)).status, 'SUCCESS');
      await toTheEnd(pass);
      assert.equal((await domain.order(flooded.id)).received, BigInt(MANY));
    });

    till('fault 396: blocks that are not read yet come before the deposits of such an order', async (domain) => {
      const flooded = await domain.newOrder();
      domain.eth.mine(...crumbs(flooded, MANY));
      domain.eth.mineEmpty(2 * domain.eth.policy.maxScanBlocks);
      const pass = await counting(domain, domain.eth, 300);
      assert.equal(await pass.step(), 'advanced');
      const { received } = await domain.order(flooded.id);
      assert.ok(received > 0n && received <= 50n, `${received} of ${MANY} before the rest is read`);
      await toTheEnd(pass);
      assert.equal((await domain.order(flooded.id)).received, BigInt(MANY));
    });

    till('fault 332: a reorganisation takes them back together and brings them back', async (domain) => {
      const order = await domain.newOrder();
      const payments = crumbs(order, 300);
      domain.eth.mine(...payments);
      domain.eth.mineEmpty(2);
      await domain.follow();
      const pass = await counting(domain, domain.eth);
      domain.eth.drop(3);
      domain.eth.mine(...payments);
      domain.eth.mineEmpty(9);
      await toTheEnd(pass);
      assert.equal(await domain.balance('available', 'USDT-ERC20'), 300n);
      assert.ok(pass.count() < 60, `${pass.count()} transactions`);
      assert.deepEqual(await checkLedger(domain.storage), []);
    });

    till('fault 334: what is shown of such an order is bounded', async (domain) => {
      const order = await domain.newOrder();
      domain.eth.mine(...Array.from({ length: 150 }, (_, at) => pay(order, 1n, `part${at}`)));
      domain.eth.mineEmpty(2);
      await domain.follow();
      const { parts } = await domain.queries.checkout(order.checkoutToken);
      assert.deepEqual([parts.length, parts.at(-1)?.txid], [SHOWN_PAYMENTS, 'part149']);
    });

    till('fault 334: so are the alerts and the history of an address that is no order’s any more', async (domain) => {
      const order = await domain.newOrder();
      domain.clock.advance(90 * 86_400_000);
      domain.eth.mineEmpty(1);
      await domain.follow();
      domain.eth.mine(...Array.from({ length: 150 }, (_, at) => pay(order, 1n, `late${at}`)));
      domain.eth.mineEmpty(3);
      await domain.follow();
      assert.equal((await domain.storage.deposits.unassigned({ before: null, limit: 200 })).length, 150);
      assert.equal(domain.metrics.counted('tillgate_alerts_total', { kind: 'deposit' }), 5);
      const rules = (await domain.storage.orders.history(order.id)).map(({ rule }) => rule);
      assert.deepEqual(
        rules.filter((rule) => rule === 'deposit-unassigned'),
        ['deposit-unassigned'],
      );
      assert.deepEqual(await checkLedger(domain.storage), []);
    });

    money('fault 333: dust of one block takes few transactions and rows of the history', async (domain) => {
      const order = await domain.newOrder({ chain: 'BTC', currency: 'BTC', price: '10' });
      domain.btc.mine(...crumbs(order, 300, 600n));
      domain.btc.mineEmpty(domain.btc.policy.spendableConfirmations);
      const pass = await counting(domain, domain.btc);
      await toTheEnd(pass);
      const statuses = (await domain.storage.deposits.byOrder(order.id)).map(({ status }) => status);
      assert.deepEqual([...new Set(statuses)], ['DUST']);
      const dust = (await domain.storage.orders.history(order.id)).filter(({ rule }) => rule === 'deposit-dust');
      const noted = dust.reduce((sum, { inputs }) => sum + Number(inputs['payments']), 0);
      assert.deepEqual([dust.length <= 6, noted], [true, 300]);
      assert.ok(pass.count() < 30, `${pass.count()} transactions`);
      assert.deepEqual(await checkLedger(domain.storage), []);
    });
  });
});
