import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { creditDeposits, makeDepositsSpendable } from '../../../core/index.ts';
import type { Deposit, Depth, Order } from '../../../core/index.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain } from '../../support/domain.ts';
import type { FakePayment } from '../../support/fake-chain.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const USDT = 1_000_000n;

let payments = 0;
const pay = (order: Order, units: bigint, changes: Partial<FakePayment> = {}): FakePayment => ({
  to: order.payment?.address ?? '',
  currency: order.payment?.currency ?? '',
  units,
  txid: `un${(payments += 1)}`,
  ...changes,
});

const unassigned = async ({ storage }: Domain): Promise<readonly Deposit[]> =>
  await storage.deposits.unassigned({ before: null, limit: 100 });
const owed = async ({ storage }: Domain, currency = 'USDT-ERC20'): Promise<bigint> =>
  (await storage.ledger.balances('unassigned:ETH')).find((balance) => balance.currency === currency)?.units ?? 0n;
const rules = async ({ storage }: Domain, { id }: Order): Promise<string[]> =>
  (await storage.orders.history(id)).map(({ rule }) => rule);

/** An unpaid order, 30 hours later. */
async function forgotten(domain: Domain): Promise<Order> {
  const order = await domain.newOrder();
  domain.clock.advance(31 * MINUTE);
  await domain.expire();
  domain.clock.advance(30 * HOUR);
  domain.eth.mine();
  await domain.follow();
  return order;
}

const NOTHING = { credited: [], dust: [], moves: [] };
const depthOf = ({ eth: { policy } }: Domain): Depth => ({ confirmations: () => 9, policy, minDeposit: () => 0n });

eachStorage((engine, open) => {
  const till = testsOf(open, buildDomain);

  describe(`deposits that belong to no order on ${engine}`, () => {
    till('fault 55: a payment after the watch window is recorded as unassigned, and told', async (domain) => {
      const order = await forgotten(domain);
      domain.eth.mine(pay(order, 10n * USDT, { txid: 'late' }));
      await domain.follow();
      const [deposit] = await unassigned(domain);
      assert.deepEqual(
        [deposit?.txid, deposit?.status, deposit?.unassignedReason, deposit?.orderId],
        ['late', 'SEEN', 'late', order.id],
      );
      const alert = domain.logger.lines.find(({ fields }) => fields['alert'] === 'deposit');
      assert.match(
        String(alert?.fields['reason']),
        /^The payment late on ETH of 10 USDT-ERC20 came after the watch window/,
      );
      assert.equal(await owed(domain), 0n);
      domain.eth.mineEmpty(2);
      await domain.follow();
      assert.equal(await owed(domain), 10n * USDT);
      assert.equal((await unassigned(domain))[0]?.status, 'CREDITED');
      domain.eth.mineEmpty(3);
      await domain.follow();
      assert.equal((await unassigned(domain))[0]?.status, 'SPENDABLE');
      assert.equal(await owed(domain), 10n * USDT);
      // No part of it belongs to the merchant or the order.
      assert.equal((await domain.order(order.id)).status, 'OVERDUE');
      assert.equal((await domain.order(order.id)).received, 0n);
      assert.equal(await domain.balance('pending', 'USDT-ERC20'), 0n);
      assert.equal(await domain.balance('available', 'USDT-ERC20'), 0n);
      assert.deepEqual(await domain.storage.deposits.byOrder(order.id), []);
      assert.equal((await rules(domain, order)).at(-1), 'deposit-unassigned');
      assert.equal(domain.metrics.counted('tillgate_alerts_total', { kind: 'deposit' }), 1);
      // The till may send its coins.
      assert.equal(
        (await domain.storage.transfers.freeAt('ETH', order.payment?.address ?? '', 'USDT-ERC20')).length,
        1,
      );
    });

    till('a payment in the watch window is its order’s, also when its block is read much later', async (domain) => {
      const order = await domain.newOrder();
      domain.clock.advance(31 * MINUTE);
      await domain.expire();
      domain.clock.advance(23 * HOUR);
      domain.eth.mine(pay(order, 10n * USDT));
      domain.eth.mineEmpty(2);
      domain.clock.advance(40 * HOUR);
      await domain.follow();
      assert.deepEqual(await unassigned(domain), []);
      assert.equal((await domain.order(order.id)).status, 'RESOLVED');
    });

    till('fault 83: a payment that is older than its order’s address is nobody’s', async (domain) => {
      domain.eth.mineEmpty(3);
      const [next] = await domain.eth.deriveAddresses(0, 1);
      const stranger = { to: next?.key ?? '', currency: 'USDT-ERC20', units: 10n * USDT };
      domain.eth.mine({ ...stranger, txid: 'before' });
      // A till that was restored from a backup gives the same address out again before it has read that block.
      domain.clock.advance(3 * HOUR);
      const orders = [
        await domain.newOrder(),
        await domain.newOrder(),
        await domain.newOrder(),
        await domain.newOrder(),
      ];
      const order = orders.find(({ payment }) => payment?.address === stranger.to);
      assert.ok(order, 'the address is given out');
      domain.eth.mineEmpty(6);
      await domain.follow();
      assert.equal((await domain.order(order.id)).status, 'PENDING');
      assert.equal(await domain.balance('available', 'USDT-ERC20'), 0n);
      assert.deepEqual(
        (await unassigned(domain)).map(({ txid, status, unassignedReason }) => [txid, status, unassignedReason]),
        [['before', 'SPENDABLE', 'before-address']],
      );
      assert.equal(await owed(domain), 10n * USDT);
      assert.equal(domain.metrics.counted('tillgate_alerts_total', { kind: 'deposit' }), 1);
    });

    till(
      'a payment whose block is a little older than its order, by clocks that differ, is the order’s',
      async (domain) => {
        const order = await domain.newOrder();
        domain.clock.advance(-HOUR);
        domain.eth.mine(pay(order, 10n * USDT));
        domain.clock.advance(HOUR);
        domain.eth.mineEmpty(2);
        await domain.follow();
        assert.equal((await domain.order(order.id)).status, 'SUCCESS');
      },
    );

    till(
      'a reorganisation takes an unassigned credit back, and the payment mined again restores it',
      async (domain) => {
        const order = await forgotten(domain);
        const payment = pay(order, 10n * USDT);
        domain.eth.mine(payment);
        domain.eth.mineEmpty(7);
        await domain.follow();
        assert.equal(await owed(domain), 10n * USDT);
        domain.eth.drop(8);
        domain.eth.mineEmpty(9);
        await domain.follow();
        assert.equal(await owed(domain), 0n);
        assert.equal((await unassigned(domain))[0]?.status, 'ORPHANED');
        await domain.checkBooks();
        domain.eth.mine(payment);
        domain.eth.mineEmpty(6);
        await domain.follow();
        assert.equal(await owed(domain), 10n * USDT);
        assert.equal((await unassigned(domain))[0]?.status, 'SPENDABLE');
        assert.equal(await domain.storage.transfers.freeze(order.accountId), null);
      },
    );

    till('an order’s history has a row for the credit of a payment that was mined again', async (domain) => {
      const order = await domain.newOrder();
      const payment = pay(order, 10n * USDT);
      domain.eth.mine(payment);
      domain.eth.mineEmpty(2);
      await domain.follow();
      domain.eth.drop(3);
      domain.eth.mineEmpty(2);
      domain.eth.mine(payment);
      domain.eth.mineEmpty(2);
      await domain.follow();
      const history = await domain.storage.orders.history(order.id);
      assert.deepEqual(
        history.slice(-2).map(({ rule, inputs }) => [rule, inputs['receivedNow']]),
        [
          ['payment-reorganised', '0'],
          ['payment-credited-again', String(10n * USDT)],
        ],
      );
    });

    till('nothing is credited or made spendable under a lost lease', async (domain) => {
      const order = await domain.newOrder();
      const lease = await domain.lease();
      domain.eth.mine(pay(order, 10n * USDT));
      await domain.follow();
      const [seen] = await domain.storage.deposits.byOrder(order.id);
      assert.ok(seen);
      const lost = { ...lease, fence: lease.fence - 1 };
      const depth = depthOf(domain);
      await assert.rejects(creditDeposits(domain, lost, [seen], depth), { code: 'LEASE_LOST' });
      assert.equal((await domain.storage.deposits.find(seen.id))?.status, 'SEEN');
      const held = await domain.lease();
      assert.deepEqual((await creditDeposits(domain, held, [seen], depth)).credited, [seen.id]);
      await assert.rejects(makeDepositsSpendable(domain, lost, [seen]), { code: 'LEASE_LOST' });
      assert.equal((await domain.storage.deposits.find(seen.id))?.status, 'CREDITED');
      assert.equal(await makeDepositsSpendable(domain, held, [seen]), 1);
    });

    till('a deposit is not credited to an order that it was read for and is not of', async (domain) => {
      const [order, other] = [await domain.newOrder(), await domain.newOrder()];
      domain.eth.mine(pay(order, 10n * USDT));
      await domain.follow();
      const [seen] = await domain.storage.deposits.byOrder(order.id);
      assert.ok(seen);
      const depth = depthOf(domain);
      const misread = { ...seen, orderId: other.id };
      assert.deepEqual(await creditDeposits(domain, await domain.lease(), [misread], depth), NOTHING);
      assert.equal((await domain.storage.deposits.find(seen.id))?.status, 'SEEN');
      assert.equal((await domain.order(other.id)).status, 'PENDING');
    });

    till(
      'a deposit that moved to another block meanwhile is not credited by what was known of the first',
      async (domain) => {
        const order = await domain.newOrder();
        const payment = pay(order, 10n * USDT);
        domain.eth.mine(payment);
        await domain.follow();
        const [stale] = await domain.storage.deposits.byOrder(order.id);
        assert.ok(stale);
        domain.eth.drop(1);
        domain.eth.mineEmpty(1);
        domain.eth.mine(payment);
        await domain.follow();
        const [seen] = await domain.storage.deposits.byOrder(order.id);
        assert.notEqual(seen?.blockHash, stale.blockHash);
        const lease = await domain.lease();
        const depth = depthOf(domain);
        assert.deepEqual(await creditDeposits(domain, lease, [stale], depth), NOTHING);
        assert.equal((await domain.storage.deposits.find(stale.id))?.status, 'SEEN');
        assert.ok(seen);
        await creditDeposits(domain, lease, [seen], depth);
        assert.equal(await makeDepositsSpendable(domain, lease, [stale]), 0);
      },
    );
  });
});
