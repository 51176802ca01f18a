import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { checkLedger, merchantAccount, postEntry, TillgateError } from '../../../core/index.ts';
import type { Deposit, EntryId, LedgerEntry, Order, Posting } from '../../../core/index.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain } from '../../support/domain.ts';
import type { FakePayment } from '../../support/fake-chain.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const USDT = 1_000_000n;
const ETHER = 10n ** 18n;

let payments = 0;
const pay = (order: Order, units: bigint, changes: Partial<FakePayment> = {}): FakePayment => ({
  to: order.payment?.address ?? '',
  currency: order.payment?.currency ?? '',
  units,
  txid: `changed${(payments += 1)}`,
  ...changes,
});
const available = (domain: Domain): Promise<bigint> => domain.balance('available', 'USDT-ERC20');
const pending = (domain: Domain): Promise<bigint> => domain.balance('pending', 'USDT-ERC20');
const told = (domain: Domain): number => domain.metrics.counted('tillgate_alerts_total', { kind: 'deposit' });

/** The amounts of an order's deposits, by status. */
async function depositsOf(domain: Domain, { id }: Order): Promise<readonly [string, bigint][]> {
  return (await domain.storage.deposits.byOrder(id)).map(({ status, units }) => [status, units]);
}

/** Mines a payment, and replaces its block by one in which the same transaction has another effect. */
async function changed(domain: Domain, before: FakePayment, after: FakePayment | null, confirmed = 0): Promise<void> {
  domain.eth.mine(before);
  domain.eth.mineEmpty(confirmed);
  await domain.follow();
  domain.eth.drop(confirmed + 1);
  domain.eth.mine(...(after === null ? [] : [after]));
  domain.eth.mineEmpty(confirmed + 1);
  await domain.follow();
}

/** Takes money out of the merchant's available balance, as a payout will. */
async function spend(domain: Domain, units: bigint): Promise<void> {
  const account = merchantAccount(domain.principal.accountId, 'available');
  const postings: Posting[] = [
    { account, currency: 'USDT-ERC20', units: -units },
    { account: 'clearing', currency: 'USDT-ERC20', units },
  ];
  const entry: LedgerEntry = {
    id: domain.ids.next() as EntryId,
    at: domain.clock.now(),
    kind: 'deposit-matured',
    reference: `test-spend:${units}`,
    postings,
  };
  await domain.storage.transaction((tx) => postEntry(tx, entry));
}

async function sound(domain: Domain): Promise<void> {
  assert.deepEqual(await checkLedger(domain.storage), []);
}

eachStorage((engine, open) => {
  const till = testsOf(open, buildDomain);

  describe(`deposits whose transactions do something else in another block, on ${engine}`, () => {
    till(
      'fault 330: a payment that is mined again brings what its present block says, not what the dead one said',
      async (domain) => {
        const order = await domain.newOrder();
        const payment = pay(order, 10n * USDT);
        await changed(domain, payment, { ...payment, units: 1n });
        domain.eth.mineEmpty(8);
        await domain.follow();
        assert.deepEqual(await depositsOf(domain, order), [
          ['ORPHANED', 10n * USDT],
          ['SPENDABLE', 1n],
        ]);
        assert.deepEqual([await pending(domain), await available(domain)], [0n, 1n]);
        const { status, received } = await domain.order(order.id);
        assert.deepEqual([status, received], ['PENDING', 1n]);
        assert.equal(told(domain), 1);
        await sound(domain);
      },
    );

    till(
      'fault 330: one that brought dust at first pays its order by what it brings now, and counts from when it was first seen',
      async (domain) => {
        const order = await domain.newOrder();
        const payment = pay(order, 1n);
        domain.eth.mine(payment);
        await domain.follow();
        domain.clock.advance(31 * 60_000);
        domain.eth.drop(1);
        domain.eth.mine({ ...payment, units: 10n * USDT });
        domain.eth.mineEmpty(3);
        await domain.follow();
        assert.equal((await domain.order(order.id)).status, 'SUCCESS');
        const [dead, live] = await domain.storage.deposits.byOrder(order.id);
        assert.deepEqual([live?.seenAt, live?.paidAt], [dead?.seenAt, dead?.paidAt]);
        await sound(domain);
      },
    );

    till('fault 330: one that pays another order now is that order’s', async (domain) => {
      const [first, second] = [await domain.newOrder(), await domain.newOrder()];
      const payment = pay(first, 10n * USDT);
      await changed(domain, payment, { ...payment, to: second.payment?.address ?? '' }, 3);
      assert.equal((await domain.order(second.id)).status, 'SUCCESS');
      assert.equal((await domain.order(first.id)).received, 0n);
      assert.deepEqual(await depositsOf(domain, second), [['CREDITED', 10n * USDT]]);
      assert.equal(await pending(domain), 10n * USDT);
      await sound(domain);
    });

    till(
      'fault 330: one that pays in another coin now is credited in that coin and does not pay the order',
      async (domain) => {
        const order = await domain.newOrder();
        const payment = pay(order, 10n * USDT);
        await changed(domain, payment, { ...payment, currency: 'ETH', units: ETHER });
        domain.eth.mineEmpty(8);
        await domain.follow();
        assert.equal((await domain.order(order.id)).status, 'PENDING');
        assert.deepEqual([await available(domain), await domain.balance('available', 'ETH')], [0n, ETHER]);
        assert.ok(
          (await domain.storage.orders.history(order.id)).some(({ rule }) => rule === 'deposit-other-currency'),
        );
        await sound(domain);
      },
    );

    till('fault 330: another sender is another deposit, so that no refund goes to the former one', async (domain) => {
      const order = await domain.newOrder();
      const payment = pay(order, 10n * USDT, { from: 'eth-thief' });
      await changed(domain, payment, { ...payment, from: 'eth-owner' }, 3);
      const live = (await domain.storage.deposits.byOrder(order.id)).filter(({ status }) => status !== 'ORPHANED');
      assert.deepEqual(
        live.map(({ fromAddress }) => fromAddress),
        ['eth-owner'],
      );
      await sound(domain);
    });

    till('fault 330: of two effects that take turns each has one deposit, and one of them counts', async (domain) => {
      const order = await domain.newOrder();
      const payment = pay(order, 10n * USDT);
      const small = { ...payment, units: 3n * USDT };
      for (const effect of [small, payment, small, payment]) {
        domain.eth.mine(effect);
        domain.eth.mineEmpty(3);
        await domain.follow();
        domain.eth.drop(4);
      }
      domain.eth.mine(small);
      domain.eth.mineEmpty(8);
      await domain.follow();
      assert.deepEqual(
        new Set((await depositsOf(domain, order)).map(([status, units]) => `${status} ${units}`)),
        new Set([`SPENDABLE ${3n * USDT}`, `ORPHANED ${10n * USDT}`]),
      );
      assert.equal(await available(domain), 3n * USDT);
      await sound(domain);
    });

    till('fault 330: what was withdrawn of the former effect is repaid by the present one first', async (domain) => {
      const order = await domain.newOrder();
      const payment = pay(order, 10n * USDT);
      domain.eth.mine(payment);
      domain.eth.mineEmpty(6);
      await domain.follow();
      await spend(domain, 10n * USDT);
      domain.eth.drop(7);
      domain.eth.mine({ ...payment, units: 9n * USDT });
      domain.eth.mineEmpty(8);
      await domain.follow();
      assert.deepEqual([await pending(domain), await available(domain)], [0n, 0n]);
      const lossOf = (deposits: readonly Deposit[]): readonly bigint[] => deposits.map(({ lossUnits }) => lossUnits);
      assert.deepEqual(lossOf(await domain.storage.deposits.byOrder(order.id)), [USDT, 9n * USDT]);
      const [loss] = await domain.storage.ledger.balances('loss:reorganisation');
      assert.equal(loss?.units, -USDT);
    });

    till(
      'fault 331: what a second reading of its block does not show is taken back before it is credited',
      async (domain) => {
        const order = await domain.newOrder();
        const payment = pay(order, 10n * USDT);
        domain.eth.says.scan = (each) => ({ ...each, units: 10n * USDT });
        domain.eth.mine({ ...payment, units: 1n });
        domain.eth.mineEmpty(9);
        await domain.follow();
        domain.eth.mineEmpty(1);
        await domain.follow();
        assert.deepEqual(await depositsOf(domain, order), [
          ['ORPHANED', 10n * USDT],
          ['SPENDABLE', 1n],
        ]);
        assert.equal((await domain.order(order.id)).status, 'PENDING');
        assert.deepEqual([await pending(domain), await available(domain)], [0n, 1n]);
        assert.ok(told(domain) > 0);
        await sound(domain);
      },
    );

    till(
      'fault 384: a chain that has no such reading is scanned again before a credit and before a spending',
      async (domain) => {
        Reflect.deleteProperty(domain.eth, 'effects');
        const [wrong, paid] = [await domain.newOrder(), await domain.newOrder()];
        const payment = pay(wrong, 10n * USDT);
        domain.eth.mine(payment, pay(paid, 10n * USDT));
        await domain.follow();
        const present = (each: FakePayment): FakePayment =>
          each.txid === payment.txid ? { ...each, units: 1n } : each;
        domain.eth.says.scan = present;
        domain.eth.mineEmpty(3);
        await domain.follow();
        assert.deepEqual(await depositsOf(domain, wrong), [
          ['ORPHANED', 10n * USDT],
          ['SEEN', 1n],
        ]);
        assert.equal(await pending(domain), 10n * USDT);
        domain.eth.says.scan = (each) => (each.to === paid.payment?.address ? null : present(each));
        domain.eth.says.thorough = domain.eth.says.scan;
        domain.eth.mineEmpty(9);
        await domain.follow();
        assert.deepEqual(await depositsOf(domain, paid), [['ORPHANED', 10n * USDT]]);
        assert.deepEqual([await pending(domain), await available(domain)], [0n, 1n]);
        assert.ok(told(domain) > 0, 'an alert names them');
        await sound(domain);
      },
    );

    till('fault 384: one scan of a block serves all of its deposits', async (domain) => {
      Reflect.deleteProperty(domain.eth, 'effects');
      const orders = [];
      for (let made = 0; made < 20; made++) orders.push(await domain.newOrder());
      domain.eth.mine(...orders.map((order) => pay(order, 10n * USDT)));
      await domain.follow();
      const { height } = await domain.eth.head();
      const { scan } = domain.eth;
      let scans = 0;
      domain.eth.scan = (from, to, ...request) => {
        if (from <= height && height <= to) scans += 1;
        return scan.call(domain.eth, from, to, ...request);
      };
      domain.eth.mineEmpty(9);
      await domain.follow();
      for (const order of orders) assert.deepEqual(await depositsOf(domain, order), [['SPENDABLE', 10n * USDT]]);
      assert.equal(scans, 2, 'one before the credit, one before the spending');
    });

    till('fault 384: a node that shows too little of the block by then contradicts nothing', async (domain) => {
      Reflect.deleteProperty(domain.eth, 'effects');
      const order = await domain.newOrder();
      domain.eth.mine(pay(order, 10n * USDT));
      await domain.follow();
      const { scan } = domain.eth;
      domain.eth.scan = async (...request) => ({
        ...(await scan.apply(domain.eth, request)),
        transfers: [],
        unseen: true,
      });
      domain.eth.mineEmpty(9);
      await domain.follow();
      assert.deepEqual(await depositsOf(domain, order), [['SPENDABLE', 10n * USDT]]);
      await sound(domain);
    });

    till('fault 384: a chain whose transactions commit to what they pay is not read again', async (domain) => {
      domain.eth.effects = null;
      const order = await domain.newOrder();
      domain.eth.mine(pay(order, 10n * USDT));
      await domain.follow();
      domain.eth.says.scan = () => null;
      domain.eth.mineEmpty(9);
      await domain.follow();
      assert.deepEqual(await depositsOf(domain, order), [['SPENDABLE', 10n * USDT]]);
    });

    till('fault 331: so is what was credited, before it may be spent', async (domain) => {
      const order = await domain.newOrder();
      domain.eth.mine(pay(order, 10n * USDT));
      domain.eth.mineEmpty(3);
      await domain.follow();
      assert.equal(await pending(domain), 10n * USDT);
      domain.eth.says.effects = () => null;
      domain.eth.says.thorough = () => null;
      domain.eth.mineEmpty(4);
      await domain.follow();
      assert.deepEqual(await depositsOf(domain, order), [['ORPHANED', 10n * USDT]]);
      assert.deepEqual([await pending(domain), await available(domain)], [0n, 0n]);
      const { status, reorgedAt } = await domain.order(order.id);
      assert.deepEqual([status, reorgedAt !== null], ['SUCCESS', true]);
      await sound(domain);
    });

    till(
      'fault 331: each block is read once before a credit and once before a spending, whatever is in it',
      async (domain) => {
        const orders = [await domain.newOrder(), await domain.newOrder()];
        domain.eth.mine(...orders.flatMap((order) => Array.from({ length: 20 }, () => pay(order, USDT))));
        const { height } = domain.eth;
        domain.eth.mineEmpty(2);
        await domain.follow();
        assert.deepEqual(domain.eth.readAgain, [height]);
        domain.eth.mineEmpty(5);
        await domain.follow();
        assert.deepEqual(domain.eth.readAgain, [height, height]);
        assert.equal(await available(domain), 40n * USDT);
        await sound(domain);
      },
    );

    till('fault 331: a block that cannot be read again holds up its own deposits alone', async (domain) => {
      const [one, two] = [await domain.newOrder(), await domain.newOrder()];
      domain.eth.mine(pay(one, 10n * USDT));
      const { height } = domain.eth;
      domain.eth.mine(pay(two, 10n * USDT));
      domain.eth.mineEmpty(3);
      const { effects } = domain.eth;
      assert.ok(effects);
      domain.eth.effects = {
        ...effects,
        read: (block, recorded) =>
          block.height === height
            ? Promise.reject(new TillgateError('NODE_FAILED', 'no such receipts'))
            : effects.read(block, recorded),
      };
      await domain.follow();
      assert.deepEqual(
        [(await domain.order(one.id)).status, (await domain.order(two.id)).status],
        ['PENDING', 'SUCCESS'],
      );
      domain.eth.effects = effects;
      await domain.follow();
      assert.equal((await domain.order(one.id)).status, 'SUCCESS');
      await sound(domain);
    });

    till('fault 331: a reading that contradicts a deposit changes nothing by itself, and is told', async (domain) => {
      const order = await domain.newOrder();
      const payment = pay(order, 10n * USDT);
      domain.eth.mine(payment);
      domain.eth.mineEmpty(3);
      await domain.follow();
      domain.eth.says.thorough = (each) => (each.txid === payment.txid ? { ...each, units: 4n * USDT } : each);
      domain.eth.mineEmpty(6);
      await domain.follow();
      assert.equal(told(domain), 1);
      assert.equal(await available(domain), 10n * USDT);
      await sound(domain);
    });
  });
});
