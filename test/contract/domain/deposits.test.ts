import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  formatUnits,
  merchantAccount,
  postEntry,
  readDecimal,
  resumeChain,
  rewindChain,
  TillgateError,
} from '../../../core/index.ts';
import type { Asset, ChainFollower, EntryId, Lease, Order, HostedOrderInput } from '../../../core/index.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain } from '../../support/domain.ts';
import { FakeChain } from '../../support/fake-chain.ts';
import type { FakePayment } from '../../support/fake-chain.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const MINUTE = 60_000;
const USDT = 1_000_000n;

const LINKS = { callbackUrl: 'https://shop.example/paid', timeoutCallback: 'https://shop.example/late' };

let payments = 0;
const pay = (order: Order, units: bigint, changes: Partial<FakePayment> = {}): FakePayment => ({
  to: order.payment?.address ?? '',
  currency: order.payment?.currency ?? '',
  units,
  txid: `tx${(payments += 1)}`,
  ...changes,
});

const eventsOf = async (domain: Domain, order: Order): Promise<string[]> =>
  (await domain.storage.callbacks.byOrder(order.id)).map(({ event }) => event);

/** A chain that is followed from its block 40 and read to its head. */
async function followFrom40(domain: Domain): Promise<{ chain: FakeChain; follower: ChainFollower; lease: Lease }> {
  const chain = new FakeChain([domain.btc.assets[0] as Asset], () => domain.clock.now(), {
    code: 'LTC',
    finalityBlocks: 20,
  });
  chain.mineEmpty(40);
  const follower = domain.newFollower(chain);
  await follower.start();
  const lease = await domain.lease(chain);
  while ((await follower.step(lease)) === 'advanced');
  return { chain, follower, lease };
}

eachStorage((engine, open) => {
  const till = testsOf(open, buildDomain);

  describe(`deposits and orders on ${engine}`, () => {
    till(
      'fault 364: newly mined coins are recorded at once, and credited when the chain lets them be spent',
      async (domain) => {
        const order = await domain.newOrder();
        domain.eth.mine(pay(order, 10n * USDT, { leastConfirmations: 10 }));
        domain.eth.mineEmpty(8);
        await domain.follow();
        const [seen] = await domain.storage.deposits.byOrder(order.id);
        assert.deepEqual([seen?.status, seen?.assignment, seen?.leastConfirmations], ['SEEN', 'ORDER', 10]);
        assert.equal(await domain.balance('pending', 'USDT-ERC20'), 0n);
        domain.eth.mine();
        await domain.follow();
        assert.equal((await domain.order(order.id)).status, 'SUCCESS');
        assert.equal(await domain.balance('available', 'USDT-ERC20'), 10n * USDT);
        await domain.checkBooks();
      },
    );

    till('an exact payment makes the order SUCCESS after its confirmations, not before (fault 50)', async (domain) => {
      const order = await domain.newOrder({ links: LINKS });
      domain.eth.mine(pay(order, 10n * USDT));
      domain.eth.mine();
      await domain.follow();
      assert.equal((await domain.order(order.id)).status, 'PENDING');
      assert.equal(await domain.balance('pending', 'USDT-ERC20'), 0n);
      domain.eth.mine();
      await domain.follow();
      assert.equal((await domain.order(order.id)).status, 'SUCCESS');
      assert.equal(await domain.balance('pending', 'USDT-ERC20'), 10n * USDT);
      assert.equal(await domain.balance('available', 'USDT-ERC20'), 0n);
      assert.deepEqual(await eventsOf(domain, order), ['order.succeeded']);
      domain.eth.mineEmpty(3);
      await domain.follow();
      assert.equal(await domain.balance('pending', 'USDT-ERC20'), 0n);
      assert.equal(await domain.balance('available', 'USDT-ERC20'), 10n * USDT);
      const { items } = await domain.queries.transactions(domain.principal.accountId, { page: 1, size: 10 });
      assert.deepEqual(
        items.map(({ tx_type, status, amount }) => ({ tx_type, status, amount })),
        [{ tx_type: 'ORDER', status: 'SUCCESS', amount: '10' }],
      );
    });

    till('two payments, of two transactions and of one, add up (fault 54)', async (domain) => {
      const order = await domain.newOrder();
      domain.eth.mine(
        pay(order, 4n * USDT, { txid: 'split', index: '1' }),
        pay(order, 3n * USDT, { txid: 'split', index: '2' }),
      );
      domain.eth.mine(pay(order, 3n * USDT));
      domain.eth.mineEmpty(2);
      await domain.follow();
      const paid = await domain.order(order.id);
      assert.equal(paid.status, 'SUCCESS');
      assert.equal(paid.received, 10n * USDT);
      assert.equal((await domain.storage.deposits.byOrder(order.id)).length, 3);
    });

    till('a surplus is credited and shown', async (domain) => {
      const order = await domain.newOrder();
      domain.eth.mine(pay(order, 15n * USDT));
      domain.eth.mineEmpty(2);
      await domain.follow();
      const detail = await domain.queries.detail(domain.principal.accountId, order.id);
      assert.equal(detail.status, 'SUCCESS');
      assert.equal(detail.obtained, '15');
    });

    till('the same transfer reported twice counts once (fault 52)', async (domain) => {
      const order = await domain.newOrder();
      const payment = pay(order, 10n * USDT, { txid: 'twice' });
      domain.eth.mine(payment, payment);
      domain.eth.mine(payment);
      domain.eth.mineEmpty(3);
      await domain.follow();
      assert.equal(await domain.balance('pending', 'USDT-ERC20'), 10n * USDT);
    });

    till(
      'less than the amount is PARTIAL at the deadline, completed later RESOLVED, with one callback each',
      async (domain) => {
        const order = await domain.newOrder({ links: LINKS });
        domain.eth.mine(pay(order, 4n * USDT));
        domain.eth.mineEmpty(2);
        await domain.follow();
        domain.clock.advance(31 * MINUTE);
        assert.equal(await domain.expire(), 1);
        assert.equal((await domain.order(order.id)).status, 'PARTIAL');
        domain.eth.mine(pay(order, 6n * USDT));
        domain.eth.mineEmpty(2);
        await domain.follow();
        assert.equal((await domain.order(order.id)).status, 'RESOLVED');
        assert.deepEqual(await eventsOf(domain, order), ['order.timeout', 'order.succeeded']);
        const history = await domain.queries.history(order.id);
        assert.deepEqual(
          history?.entries.map(({ rule }) => rule),
          ['created', 'deadline-short', 'late-payment'],
        );
        assert.equal(history.entries[1]?.inputs['confirmedInTime'], (4n * USDT).toString());
        assert.equal(history.entries[0]?.rate?.coin.sources[0]?.source, 'fake');
        for (const { rate } of history.entries) assert.deepEqual(rate, order.payment?.rate);
        // The rate is stored once, with the order.
        assert.deepEqual(
          (await domain.storage.orders.history(order.id)).map(({ rate }) => rate),
          [null, null],
        );
      },
    );

    till('nothing seen is OVERDUE, a late payment RESOLVED (fault 55)', async (domain) => {
      const order = await domain.newOrder({ links: LINKS });
      domain.clock.advance(30 * MINUTE);
      assert.equal(await domain.expire(), 1);
      assert.equal((await domain.order(order.id)).status, 'OVERDUE');
      assert.equal(await domain.expire(), 0);
      domain.clock.advance(5 * 60 * MINUTE);
      domain.eth.mine(pay(order, 10n * USDT));
      domain.eth.mineEmpty(2);
      await domain.follow();
      assert.equal((await domain.order(order.id)).status, 'RESOLVED');
      assert.deepEqual(await eventsOf(domain, order), ['order.timeout', 'order.succeeded']);
    });

    till(
      'a payment in time that is unconfirmed at the deadline keeps the order PENDING until it confirms',
      async (domain) => {
        const order = await domain.newOrder();
        domain.clock.advance(30 * MINUTE);
        domain.eth.mine(pay(order, 10n * USDT));
        domain.clock.advance(MINUTE);
        assert.equal(await domain.expire(), 0);
        assert.equal((await domain.order(order.id)).status, 'PENDING');
        domain.eth.mineEmpty(2);
        await domain.follow();
        assert.equal((await domain.order(order.id)).status, 'SUCCESS');
      },
    );

    till('an unconfirmed payment that disappears lets the order become OVERDUE', async (domain) => {
      const order = await domain.newOrder();
      domain.clock.advance(29 * MINUTE);
      domain.eth.mine(pay(order, 10n * USDT));
      await domain.follow();
      domain.clock.advance(2 * MINUTE);
      domain.eth.drop(1);
      domain.eth.mineEmpty(2);
      assert.equal(await domain.expire(), 1);
      assert.equal((await domain.order(order.id)).status, 'OVERDUE');
    });

    till(
      'no order expires while its node is away: the payment in the blocks not read yet counts in time',
      async (domain) => {
        const order = await domain.newOrder();
        domain.eth.mine(pay(order, 10n * USDT));
        domain.eth.mineEmpty(2);
        domain.eth.failure = new Error('node away');
        domain.clock.advance(45 * MINUTE);
        assert.equal(await domain.expireOrders.run(), 0);
        domain.eth.failure = null;
        await domain.follow();
        assert.equal((await domain.order(order.id)).status, 'SUCCESS');
      },
    );

    till('one chain away does not hold up the other', async (domain) => {
      const onEth = await domain.newOrder();
      const onBtc = await domain.newOrder({ chain: 'BTC', currency: 'BTC' });
      domain.eth.failure = new Error('node away');
      domain.clock.advance(31 * MINUTE);
      await assert.rejects(domain.follow(domain.eth), /node away/);
      await domain.follow(domain.btc);
      assert.equal(await domain.expireOrders.run(), 1);
      assert.equal((await domain.order(onEth.id)).status, 'PENDING');
      assert.equal((await domain.order(onBtc.id)).status, 'OVERDUE');
    });

    till('a hosted order whose payer never chose a coin becomes OVERDUE', async (domain) => {
      const order = await domain.createOrder.hosted(domain.principal, { ...hosted(), links: LINKS });
      domain.clock.advance(30 * MINUTE);
      assert.equal(await domain.expireOrders.run(), 1);
      assert.equal((await domain.order(order.id)).status, 'OVERDUE');
      assert.deepEqual(await eventsOf(domain, order), ['order.timeout']);
    });

    till('a payment in time is found however long its chain was not read (fault 55)', async (domain) => {
      const order = await domain.newOrder({ links: LINKS });
      domain.eth.mine(pay(order, 10n * USDT));
      domain.clock.advance(26 * 60 * MINUTE);
      domain.eth.mineEmpty(2);
      // As after a restart, the addresses are read again.
      const [follower, lease] = [domain.newFollower(), await domain.lease()];
      await follower.start();
      while ((await follower.step(lease)) === 'advanced');
      assert.equal((await domain.order(order.id)).status, 'SUCCESS');
      assert.deepEqual(await eventsOf(domain, order), ['order.succeeded']);
    });

    till('gaps after downtime are filled in steps', async (domain) => {
      const order = await domain.newOrder();
      domain.eth.mineEmpty(7);
      domain.eth.mine(pay(order, 10n * USDT));
      domain.eth.mineEmpty(23);
      await domain.follow();
      assert.equal((await domain.order(order.id)).status, 'SUCCESS');
      assert.equal((await domain.storage.chains.state('ETH'))?.cursor?.height, domain.eth.height);
    });

    till('an address handed out while a block is being scanned is seen in the next', async (domain) => {
      let order: Order | null = null;
      domain.eth.mine();
      domain.eth.beforeScan = async () => {
        order ??= await domain.newOrder();
      };
      await domain.follow();
      assert.ok(order);
      domain.eth.mine(pay(order, 10n * USDT));
      domain.eth.mineEmpty(2);
      await domain.follow();
      assert.equal((await domain.order((order as Order).id)).status, 'SUCCESS');
    });

    for (const depth of [1, 2, 6, 19]) {
      till(
        `a reorganisation ${depth} deep reverses the credit, and mined again credits once (fault 51)`,
        async (domain) => {
          const order = await domain.newOrder({ links: LINKS });
          domain.eth.mineEmpty(2);
          await domain.follow();
          const payment = pay(order, 10n * USDT, { txid: 'moved' });
          domain.eth.mine(payment);
          domain.eth.mineEmpty(Math.max(depth - 1, 2));
          await domain.follow();
          assert.equal((await domain.order(order.id)).status, 'SUCCESS');
          domain.eth.drop(Math.max(depth, 3));
          domain.eth.mineEmpty(Math.max(depth, 3) + 1);
          await domain.follow();
          const marked = await domain.order(order.id);
          assert.equal(marked.status, 'SUCCESS');
          assert.notEqual(marked.reorgedAt, null);
          assert.equal(marked.received, 0n);
          assert.equal(await domain.balance('pending', 'USDT-ERC20'), 0n);
          assert.equal(await domain.balance('available', 'USDT-ERC20'), 0n);
          await domain.checkBooks();
          domain.eth.mine(payment);
          domain.eth.mineEmpty(6);
          await domain.follow();
          const again = await domain.order(order.id);
          assert.equal(again.reorgedAt, null);
          assert.equal(again.received, 10n * USDT);
          assert.equal(await domain.balance('available', 'USDT-ERC20'), 10n * USDT);
          assert.deepEqual(await eventsOf(domain, order), ['order.succeeded']);
          const { total, items } = await domain.queries.transactions(domain.principal.accountId, { page: 1, size: 10 });
          assert.deepEqual([total, items[0]?.status], [1, 'SUCCESS']);
        },
      );
    }

    for (const depth of [1, 4, 12]) {
      till(
        `fault 51: a reorganisation that reaches ${depth} blocks below where following began is read`,
        async (domain) => {
          const { storage } = domain;
          const { chain, follower, lease } = await followFrom40(domain);
          assert.equal((await storage.chains.state('LTC'))?.cursor?.height, 40);
          assert.deepEqual(await storage.chains.block('LTC', 20), await chain.blockAt(20));
          assert.equal(await storage.chains.block('LTC', 19), null);
          const order = await domain.newOrder({ chain: 'BTC', currency: 'BTC' });
          const [address] = await chain.deriveAddresses(7, 1);
          assert.ok(address);
          await storage.transaction((tx) =>
            tx.orders.addAddress(order.id, { ...address, chain: 'LTC', walletId: chain.walletId }, 'BTC', {
              watchUntil: order.watchUntil,
              assignedAt: order.createdAt,
            }),
          );
          chain.drop(depth + 1);
          chain.mine({ to: address.key, currency: 'BTC', units: 7n, txid: `below${depth}` });
          chain.mineEmpty(depth + 1);
          while ((await follower.step(lease)) === 'advanced');
          const [deposit] = await storage.deposits.byOrder(order.id);
          assert.deepEqual([deposit?.blockHeight, deposit?.units], [40 - depth, 7n]);
          assert.equal((await storage.chains.state('LTC'))?.cursor?.height, chain.height);
        },
      );
    }

    till('fault 51: a reorganisation far below where following began stops the chain', async (domain) => {
      const { chain, follower, lease } = await followFrom40(domain);
      chain.drop(25);
      chain.mineEmpty(30);
      assert.equal(await follower.step(lease), 'halted');
    });

    till('fault 51: no order expires between a reorganisation and the reading of its blocks', async (domain) => {
      const order = await domain.newOrder();
      const payment = pay(order, 10n * USDT);
      domain.eth.mine(payment);
      await domain.follow();
      domain.clock.advance(31 * MINUTE);
      assert.equal(await domain.expire(), 0);
      domain.eth.drop(1);
      domain.eth.mine();
      domain.eth.mine(payment);
      const follower = domain.newFollower();
      await follower.start();
      assert.equal(await follower.step(await domain.lease()), 'advanced');
      assert.equal(await domain.expireOrders.run(), 0);
      domain.eth.mineEmpty(2);
      await domain.follow();
      assert.equal((await domain.order(order.id)).status, 'SUCCESS');
    });

    till('a payment that a reorganisation took away for good ends in TERMINATED and an alert', async (domain) => {
      const order = await domain.newOrder();
      domain.eth.mine(pay(order, 10n * USDT));
      domain.eth.mineEmpty(2);
      await domain.follow();
      domain.eth.drop(3);
      domain.eth.mineEmpty(4);
      await domain.follow();
      assert.equal(await domain.expire(), 0);
      domain.clock.advance(25 * 60 * MINUTE);
      assert.equal(await domain.expire(), 1);
      assert.equal((await domain.order(order.id)).status, 'TERMINATED');
      assert.ok(
        domain.logger.lines.some(({ level, message }) => level === 'error' && message.includes('reorganisation')),
      );
      const { items } = await domain.queries.transactions(domain.principal.accountId, { page: 1, size: 10 });
      assert.equal(items[0]?.status, 'FAILED');
    });

    till(
      "what a reversal cannot take back from the merchant is the loss account's, and comes back when mined again",
      async (domain) => {
        const order = await domain.newOrder();
        const payment = pay(order, 10n * USDT);
        domain.eth.mine(payment);
        domain.eth.mineEmpty(5);
        await domain.follow();
        assert.equal(await domain.balance('available', 'USDT-ERC20'), 10n * USDT);
        await spend(domain, 7n * USDT);
        domain.eth.drop(6);
        domain.eth.mineEmpty(7);
        await domain.follow();
        assert.equal(await domain.balance('available', 'USDT-ERC20'), 0n);
        assert.deepEqual((await domain.storage.ledger.balances('loss:'))[0]?.units, -7n * USDT);
        await domain.checkBooks();
        domain.eth.mine(payment);
        domain.eth.mineEmpty(6);
        await domain.follow();
        assert.equal(await domain.balance('available', 'USDT-ERC20'), 3n * USDT);
        assert.deepEqual((await domain.storage.ledger.balances('loss:'))[0]?.units, 0n);
      },
    );

    till('a change below the finality bound stops the chain with an alert and no credit (fault 56)', async (domain) => {
      const order = await domain.newOrder();
      domain.eth.mineEmpty(30);
      await domain.follow();
      domain.eth.drop(25);
      domain.eth.mine(pay(order, 10n * USDT));
      domain.eth.mineEmpty(30);
      assert.equal(await domain.follow(), 'halted');
      assert.equal(await domain.follow(), 'halted');
      assert.equal((await domain.order(order.id)).status, 'PENDING');
      assert.equal(domain.events.of('chain.halted').length, 1);
      assert.match((await domain.storage.chains.state('ETH'))?.haltedReason ?? '', /has another block at height/);
    });

    till(
      'a stopped chain goes on when an operator resumes it, and stops again while its node is wrong',
      async (domain) => {
        await assert.rejects(resumeChain(domain.storage, 'ETH'), { code: 'STATE_CONFLICT' });
        await assert.rejects(resumeChain(domain.storage, 'DOGE'), { code: 'NOT_FOUND' });
        const order = await domain.newOrder();
        domain.eth.mineEmpty(30);
        await domain.follow();
        const restore = domain.eth.keep();
        domain.eth.drop(25);
        domain.eth.mineEmpty(30);
        assert.equal(await domain.follow(), 'halted');
        assert.match(await resumeChain(domain.storage, 'ETH'), /has another block at height/);
        assert.equal(await domain.follow(), 'halted');
        await resumeChain(domain.storage, 'ETH');
        restore();
        domain.eth.mine(pay(order, 10n * USDT));
        domain.eth.mineEmpty(2);
        assert.equal(await domain.follow(), 'idle');
        assert.equal((await domain.order(order.id)).status, 'SUCCESS');
        assert.equal(domain.metrics.gauges.get('tillgate_chain_halted{chain="ETH"}'), 0);
      },
    );

    till(
      'after another chain was followed for long, the chain goes on from a block that is right, and nothing of the other one stays (fault 56)',
      async (domain) => {
        const [kept, wrong, right] = [await domain.newOrder(), await domain.newOrder(), await domain.newOrder()];
        domain.eth.mine(pay(kept, 10n * USDT));
        domain.eth.mineEmpty(20);
        await domain.follow();
        const last = domain.eth.height;
        domain.eth.mine(pay(wrong, 10n * USDT));
        for (let times = 0; times < 6; times++) {
          domain.eth.mineEmpty(20);
          await domain.follow();
        }
        assert.equal(await domain.balance('available', 'USDT-ERC20'), 20n * USDT);
        domain.eth.drop(domain.eth.height - last);
        domain.eth.mineEmpty(2);
        domain.eth.mine(pay(right, 10n * USDT));
        domain.eth.mineEmpty(130);
        assert.equal(await domain.follow(), 'halted');
        await resumeChain(domain.storage, 'ETH');
        assert.equal(await domain.follow(), 'halted');
        await assert.rejects(rewindChain(domain.eth, domain.eth.height, domain), {
          code: 'STATE_CONFLICT',
          message: /give an earlier block/,
        });
        await assert.rejects(rewindChain(domain.eth, last + 1, domain), {
          code: 'STATE_CONFLICT',
          message: /give an earlier block/,
        });
        const { height, deposits, reason } = await rewindChain(domain.eth, last - 5, domain);
        assert.deepEqual([height, deposits], [last - 5, 1]);
        assert.match(reason, /has another block at height/);
        await domain.checkBooks();
        assert.equal(await domain.follow(), 'idle');
        assert.equal(await domain.balance('available', 'USDT-ERC20'), 20n * USDT);
        for (const { id } of [kept, right]) assert.equal((await domain.order(id)).status, 'SUCCESS');
        assert.equal((await domain.order(wrong.id)).reorgedAt !== null, true);
        await assert.rejects(rewindChain(domain.eth, 1, domain), { code: 'STATE_CONFLICT' });
        await assert.rejects(rewindChain(new FakeChain([], () => 0, { code: 'DOGE' }), 1, domain), {
          code: 'NOT_FOUND',
        });
      },
    );

    till('fault 85: a node that lags, however far, stops nothing, and following goes on by itself', async (domain) => {
      const order = await domain.newOrder();
      domain.eth.mineEmpty(100);
      await domain.follow();
      domain.eth.mine(pay(order, 10n * USDT));
      domain.eth.mineEmpty(2);
      for (const height of [80, 79, 65, 30, 0, 81]) {
        domain.eth.lagsAt = height;
        assert.equal(await domain.follow(), 'idle', `at ${height}`);
      }
      // A node may be stuck on an abandoned branch.
      const restore = domain.eth.keep();
      domain.eth.drop(domain.eth.height - 69);
      domain.eth.mine();
      domain.eth.lagsAt = null;
      assert.equal(await domain.follow(), 'idle');
      assert.equal((await domain.storage.chains.state('ETH'))?.cursor?.height, 100, 'no block is rolled back');
      restore();
      assert.equal(await domain.follow(), 'idle');
      assert.equal((await domain.order(order.id)).status, 'SUCCESS');
      assert.equal((await domain.storage.chains.state('ETH'))?.haltedReason, null);
    });

    till('fault 85: a node behind the bound whose blocks are others stops its chain', async (domain) => {
      domain.eth.mineEmpty(100);
      await domain.follow();
      domain.eth.drop(40);
      domain.eth.mineEmpty(15);
      assert.equal(domain.eth.height, 75);
      assert.equal(await domain.follow(), 'halted');
      assert.match((await domain.storage.chains.state('ETH'))?.haltedReason ?? '', /has another block at height 72/);
    });

    till('a node that lags a little is waited for', async (domain) => {
      domain.eth.mineEmpty(10);
      await domain.follow();
      domain.eth.lagsAt = 8;
      assert.equal(await domain.follow(), 'idle');
      domain.eth.lagsAt = null;
      domain.eth.mine();
      assert.equal(await domain.follow(), 'idle');
      assert.equal((await domain.storage.chains.state('ETH'))?.cursor?.height, domain.eth.height);
    });

    till('a node on another chain is refused at start (fault 56)', async (domain) => {
      domain.eth.identity = 'fake:other';
      await assert.rejects(domain.newFollower().start(), /Correct the node's address/);
    });

    till('fault 100: a chain whose token is another than the settings say does not start', async (domain) => {
      const verifyAsset = async (currency: string): Promise<void> => {
        if (currency === 'USDT-ERC20') throw new TillgateError('CHAIN_HALTED', 'USDT-ERC20 has 18 decimals');
      };
      Object.assign(domain.eth, { verifyAsset });
      await assert.rejects(domain.newFollower().start(), { code: 'CHAIN_HALTED', message: /18 decimals/ });
    });

    till('a follower that lost its lease writes nothing (fault 41)', async (domain) => {
      const order = await domain.newOrder();
      const stale = await domain.lease();
      await domain.storage.leases.release(stale);
      const taken = await domain.storage.leases.acquire(stale.name, 'another', 60_000);
      assert.ok(taken);
      domain.eth.mine(pay(order, 10n * USDT));
      await assert.rejects(domain.newFollower().step(stale), { code: 'LEASE_LOST' });
      assert.deepEqual(await domain.storage.deposits.byOrder(order.id), []);
      await domain.storage.leases.release(taken);
    });

    till('a new follower goes on where a former one was cut off', async (domain) => {
      const order = await domain.newOrder();
      domain.eth.mine(pay(order, 10n * USDT));
      await domain.follow();
      domain.eth.mineEmpty(2);
      const other = domain.newFollower();
      await other.start();
      while ((await other.step(await domain.lease())) === 'advanced');
      assert.equal((await domain.order(order.id)).status, 'SUCCESS');
    });

    till('money in another coin than the order wants is credited, and the order says so', async (domain) => {
      const order = await domain.newOrder();
      domain.eth.mine(pay(order, 5n * 10n ** 15n, { currency: 'ETH' }));
      domain.eth.mineEmpty(2);
      await domain.follow();
      assert.equal(await domain.balance('pending', 'ETH'), 5n * 10n ** 15n);
      const history = await domain.queries.history(order.id);
      assert.deepEqual(
        history?.entries.map(({ rule }) => rule),
        ['created', 'deposit-other-currency'],
      );
      assert.equal((await domain.order(order.id)).status, 'PENDING');
    });

    till('a payment to an earlier choice of the payer counts at its rate', async (domain) => {
      const order = await domain.createOrder.hosted(domain.principal, hosted());
      const inUsdt = await domain.choosePayment.choose(order.checkoutToken, 'ETH', 'USDT-ERC20');
      const inBtc = await domain.choosePayment.choose(order.checkoutToken, 'BTC', 'BTC');
      assert.notEqual(inBtc.payment?.address, inUsdt.payment?.address);
      domain.eth.mine(pay(inUsdt, inUsdt.payment?.units ?? 0n));
      domain.eth.mineEmpty(2);
      await domain.follow();
      const paid = await domain.order(order.id);
      assert.equal(paid.status, 'SUCCESS');
      assert.equal(paid.payment?.currency, 'USDT-ERC20');
      const history = await domain.queries.history(order.id);
      const [created, chosen] = history?.entries ?? [];
      assert.deepEqual(
        [created?.inputs['currency'], created?.rate, chosen?.inputs['currency']],
        [null, null, 'USDT-ERC20'],
        'no coin was chosen when it was created',
      );
    });

    till('a cancelled order still credits money that comes after all (fault 44)', async (domain) => {
      const order = await domain.newOrder();
      await domain.orderAdminActions.terminate(order.id, 'merchant');
      domain.eth.mine(pay(order, 10n * USDT));
      domain.eth.mineEmpty(2);
      await domain.follow();
      assert.equal((await domain.order(order.id)).status, 'TERMINATED');
      assert.equal(await domain.balance('pending', 'USDT-ERC20'), 10n * USDT);
    });

    till(
      'a large order waits for more confirmations than a small one, however its payment is split',
      async (domain) => {
        const order = await domain.newOrder({ chain: 'BTC', currency: 'BTC', price: '100000' });
        assert.equal(formatUnits(order.payment?.units ?? 0n, 8), '2');
        domain.btc.mine(pay(order, 100_000_000n), pay(order, 100_000_000n));
        domain.btc.mine();
        await domain.follow(domain.btc);
        assert.equal((await domain.order(order.id)).status, 'PENDING');
        domain.btc.mine();
        await domain.follow(domain.btc);
        assert.equal((await domain.order(order.id)).status, 'SUCCESS');
      },
      { chain: { confirmations: (units) => (units > 100_000_000n ? 3 : 1) } },
    );

    till(
      'a large payment of a small order waits for as many confirmations as its amount takes',
      async (domain) => {
        const order = await domain.newOrder({ chain: 'BTC', currency: 'BTC', price: '5000' });
        domain.btc.mine(pay(order, 200_000_000n));
        domain.btc.mine();
        await domain.follow(domain.btc);
        assert.equal(await domain.balance('pending', 'BTC'), 0n);
        domain.btc.mine();
        await domain.follow(domain.btc);
        assert.equal(await domain.balance('pending', 'BTC'), 200_000_000n);
      },
      { chain: { confirmations: (units) => (units > 100_000_000n ? 3 : 1) } },
    );

    till('amounts beyond 2^64 stay exact (fault 46)', async (domain) => {
      const order = await domain.newOrder({ currency: 'ETH', price: '1000000' });
      const units = 123_456_789_012_345_678_901_234n;
      domain.eth.mine(pay(order, units));
      domain.eth.mineEmpty(6);
      await domain.follow();
      assert.equal(await domain.balance('available', 'ETH'), units);
      assert.equal((await domain.order(order.id)).received, units);
    });
  });
});

function hosted(): HostedOrderInput {
  const vsPrice = readDecimal('10');
  assert.ok(vsPrice);
  return { vsCurrency: 'USD', vsPrice };
}

/** Takes money out of the merchant's available balance, as a payout will. */
async function spend(domain: Domain, units: bigint): Promise<void> {
  await domain.storage.transaction(async (tx) => {
    await postEntry(tx, {
      id: domain.ids.next() as EntryId,
      at: domain.clock.now(),
      kind: 'deposit-matured',
      reference: `test-spend:${units}`,
      postings: [
        { account: merchantAccount(domain.principal.accountId, 'available'), currency: 'USDT-ERC20', units: -units },
        { account: 'clearing', currency: 'USDT-ERC20', units },
      ],
    });
  });
}
