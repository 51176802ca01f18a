import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { RescanDeposits } from '../../../core/index.ts';
import type { Order } from '../../../core/index.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain } from '../../support/domain.ts';
import type { FakePayment } from '../../support/fake-chain.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';
import { failing } from './late-payment.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const USDT = 1_000_000n;

let payments = 0;
const pay = (order: Order, units: bigint, changes: Partial<FakePayment> = {}): FakePayment => ({
  to: order.payment?.address ?? '',
  currency: order.payment?.currency ?? '',
  units,
  txid: `again${(payments += 1)}`,
  ...changes,
});

const rescan = (domain: Domain): RescanDeposits =>
  new RescanDeposits({ ...domain, chains: new Map([['ETH', domain.eth]]) });

/** A payment that the node omits from its first answer. */
function omitted(domain: Domain, order: Order, units = 10n * USDT): FakePayment {
  const payment = pay(order, units);
  domain.eth.omitted.add(payment.txid);
  return payment;
}

eachStorage((engine, open) => {
  const till = testsOf(open, buildDomain);

  describe(`blocks that are read again on ${engine}`, () => {
    till('fault 77: what the node left out at first is found when the block is deep, and told', async (domain) => {
      const order = await domain.newOrder();
      domain.eth.mine(omitted(domain, order));
      domain.eth.mineEmpty(5);
      await domain.follow();
      assert.equal((await domain.order(order.id)).status, 'PENDING');
      assert.deepEqual(await domain.storage.deposits.byOrder(order.id), []);
      domain.eth.mineEmpty(2);
      await domain.follow();
      assert.equal((await domain.order(order.id)).status, 'SUCCESS');
      assert.equal(await domain.balance('available', 'USDT-ERC20'), 10n * USDT);
      assert.equal(domain.metrics.counted('tillgate_alerts_total', { kind: 'deposit' }), 1);
    });

    till('a payment that is found after the deadline counts from its block’s time', async (domain) => {
      const order = await domain.newOrder();
      domain.eth.mine(omitted(domain, order));
      domain.clock.advance(31 * MINUTE);
      domain.eth.mineEmpty(1);
      await domain.expire();
      assert.equal((await domain.order(order.id)).status, 'OVERDUE');
      domain.clock.advance(40 * HOUR);
      domain.eth.mineEmpty(8);
      await domain.follow();
      assert.equal((await domain.order(order.id)).status, 'RESOLVED');
      assert.equal((await domain.storage.deposits.unassigned({ before: null, limit: 10 })).length, 0);
    });

    till('each block is read twice, also after a restart and a reorganisation', async (domain) => {
      const { chains } = domain.storage;
      const reread = async (): Promise<number | null | undefined> => (await chains.state('ETH'))?.rereadHeight;
      domain.eth.mineEmpty(14);
      await domain.follow();
      assert.equal(await reread(), 8);
      domain.eth.drop(10);
      const order = await domain.newOrder();
      domain.eth.mine(omitted(domain, order));
      domain.eth.mineEmpty(10);
      const follower = domain.newFollower();
      await follower.start();
      const lease = await domain.lease();
      while ((await follower.step(lease)) === 'advanced');
      // The payment is in block 5, which had been read twice on the old branch.
      assert.equal(await reread(), 9);
      assert.equal((await domain.storage.deposits.byOrder(order.id)).length, 1);
    });

    till('a node that cannot answer for deep blocks holds nothing up at the head', async (domain) => {
      domain.eth.mineEmpty(10);
      await domain.follow();
      domain.eth.refusesDeep = true;
      const order = await domain.newOrder();
      domain.eth.mine(pay(order, 10n * USDT));
      domain.eth.mineEmpty(2);
      await domain.follow();
      assert.equal((await domain.order(order.id)).status, 'SUCCESS');
      const before = (await domain.storage.chains.state('ETH'))?.rereadHeight;
      domain.eth.refusesDeep = false;
      domain.eth.mine();
      await domain.follow();
      assert.notEqual((await domain.storage.chains.state('ETH'))?.rereadHeight, before);
    });

    till('a rescan finds a payment by its block and by its transaction, once', async (domain) => {
      const order = await domain.newOrder();
      domain.clock.advance(31 * MINUTE);
      await domain.expire();
      const height = domain.eth.height + 1;
      domain.eth.mine(omitted(domain, order, 4n * USDT), omitted(domain, order, 6n * USDT));
      domain.eth.mineEmpty(3);
      await domain.follow();
      const [byRange, byTx] = await Promise.all([
        rescan(domain).run('ETH', { from: 1, to: domain.eth.height }),
        rescan(domain).run('ETH', { txid: domain.eth.paid[0]?.txid ?? '' }),
      ]);
      assert.equal(byRange.found.length + byTx.found.length, 2);
      assert.deepEqual([byTx.from, byTx.to], [height, height]);
      assert.deepEqual((await rescan(domain).run('ETH', { from: height, to: height })).found, []);
      domain.eth.mine();
      await domain.follow();
      assert.equal((await domain.order(order.id)).status, 'RESOLVED');
    });

    till('a rescan refuses what it cannot read', async (domain) => {
      domain.eth.mineEmpty(3);
      await domain.follow();
      const run = rescan(domain);
      const { height } = domain.eth;
      await assert.rejects(run.run('ETH', { from: 1, to: height + 1 }), { code: 'STATE_CONFLICT' });
      await assert.rejects(run.run('ETH', { from: 3, to: 2 }), { code: 'INVALID_FIELDS' });
      await assert.rejects(run.run('ETH', { from: 0, to: 2 }), { code: 'INVALID_FIELDS' });
      await assert.rejects(run.run('ETH', { from: 1, to: 1_001 }), /to: must be at most 1000: 1000 blocks/);
      await assert.rejects(run.run('ETH', { txid: 'none' }), { code: 'INVALID_FIELDS' });
      await assert.rejects(run.run('DOGE', { from: 1, to: 1 }), { code: 'UNSUPPORTED' });
      // The node is on another branch than the followed one.
      domain.eth.drop(2);
      domain.eth.mineEmpty(2);
      await assert.rejects(run.run('ETH', { from: height, to: height }), { code: 'STATE_CONFLICT' });
    });

    till('a rescan is recorded whole or not at all, with what its caller adds', async (domain) => {
      const order = await domain.newOrder();
      domain.eth.mine(omitted(domain, order));
      domain.eth.mineEmpty(3);
      await domain.follow();
      const run = rescan(domain);
      const range = { from: 1, to: domain.eth.height };
      await assert.rejects(run.run('ETH', range, failing), /the audit fails/);
      assert.deepEqual(await domain.storage.deposits.byOrder(order.id), []);
      const told: number[] = [];
      const { found } = await run.run('ETH', range, (_tx, rescanned) => void told.push(rescanned.found.length));
      assert.deepEqual([found.length, told], [1, [1]]);
    });

    till('fault 56: a rescan notices that the node changed its branch between two parts', async (domain) => {
      const order = await domain.newOrder();
      domain.eth.mineEmpty(7);
      await domain.follow();
      const whole = { ...domain.eth.policy, maxScanBlocks: 4 };
      const parts = Object.assign(Object.create(domain.eth) as typeof domain.eth, {
        policy: whole,
        // The first part is from another branch, which does not contain the payment.
        scan: async (from: number, to: number, ...rest: [never, never]) => {
          const range = await domain.eth.scan(from, to, ...rest);
          const blocks = range.blocks.map((block) => ({ ...block, hash: `other ${block.height}` }));
          return from === 1 ? { ...range, blocks } : range;
        },
      });
      const run = new RescanDeposits({ ...domain, chains: new Map([['ETH', parts]]) });
      await assert.rejects(run.run('ETH', { from: 1, to: 7 }), { code: 'STATE_CONFLICT' });
      assert.deepEqual(await domain.storage.deposits.byOrder(order.id), []);
    });

    till('fault 56: a rescan of old blocks believes no node that is on another chain', async (domain) => {
      const order = await domain.newOrder();
      domain.eth.mineEmpty(3);
      // Following begins at the head, so the blocks before it are not stored.
      await domain.follow();
      domain.eth.mineEmpty(60);
      await domain.follow();
      domain.eth.drop(62);
      domain.eth.mine(pay(order, 10n * USDT));
      domain.eth.mineEmpty(70);
      await assert.rejects(rescan(domain).run('ETH', { from: 2, to: 2 }), { code: 'STATE_CONFLICT' });
      assert.deepEqual(await domain.storage.deposits.byOrder(order.id), []);
    });

    till('fault 83: a payment found in a block that was final before its order is nobody’s', async (domain) => {
      const early = domain.eth.height + 1;
      domain.eth.mine({ to: 'eth0', currency: 'USDT-ERC20', units: 5n, txid: 'early' });
      domain.eth.mineEmpty(30);
      await domain.follow();
      domain.clock.advance(MINUTE);
      let order = await domain.newOrder();
      while (order.payment?.address !== 'eth0') order = await domain.newOrder();
      const { found } = await rescan(domain).run('ETH', { from: early, to: early });
      assert.deepEqual(
        found.map(({ txid, assignment, unassignedReason }) => [txid, assignment, unassignedReason]),
        [['early', 'UNASSIGNED', 'before-address']],
      );
    });
  });
});
