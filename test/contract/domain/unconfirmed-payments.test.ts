import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ChainFollower, DISAPPEARED_AFTER_MS, readDecimal } from '../../../core/index.ts';
import type { Order, UnconfirmedPayment } from '../../../core/index.ts';
import { Crash, CrashPoint } from '../../support/crashing.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain, DomainOptions } from '../../support/domain.ts';
import type { FakePayment } from '../../support/fake-chain.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const MINUTE = 60_000;
/** 10 US dollars at 50,000. */
const DUE = 20_000n;
const LINKS = { callbackUrl: 'https://shop.example/paid', timeoutCallback: 'https://shop.example/late' };
const SHOWN: DomainOptions = { chain: { mempool: true, confirmations: 2, spendableConfirmations: 3 } };

let payments = 0;
const pay = (order: Order, units = DUE, changes: Partial<FakePayment> = {}): FakePayment => ({
  to: order.payment?.address ?? '',
  currency: 'BTC',
  units,
  txid: `waiting${(payments += 1)}`,
  ...changes,
});

const inBtc = (domain: Domain): Promise<Order> => domain.newOrder({ chain: 'BTC', currency: 'BTC', links: LINKS });
const status = async (domain: Domain, { id }: Order): Promise<string> => (await domain.order(id)).status;
const unconfirmedPayments = (domain: Domain): Promise<readonly UnconfirmedPayment[]> =>
  domain.storage.unconfirmedPayments.ofChain('BTC');
const callbacks = async (domain: Domain, { id }: Order): Promise<string[]> =>
  (await domain.storage.callbacks.byOrder(id)).map(({ event }) => event);

/** An unconfirmed payment, and a read of the mempool. */
async function send(domain: Domain, payment: FakePayment): Promise<FakePayment> {
  domain.btc.waiting.push(payment);
  await domain.follow(domain.btc);
  return payment;
}

/** Removes the unconfirmed payments, and reads the mempool. */
async function lose(domain: Domain): Promise<void> {
  domain.btc.waiting = [];
  await domain.follow(domain.btc);
}

eachStorage((engine, open) => {
  const till = testsOf(open, buildDomain, SHOWN);

  describe(`payments that wait to be mined on ${engine}`, () => {
    till(
      'fault 53: a payment seen in time keeps the order PENDING past its deadline, pays nothing, and is SUCCESS once it is mined',
      async (domain) => {
        const order = await inBtc(domain);
        domain.clock.advance(29 * MINUTE);
        const seenAt = domain.clock.now();
        const payment = await send(domain, pay(order));
        const announced = domain.events.of('order.payment');
        assert.equal(announced.at(-1)?.orderId, order.id);
        await domain.follow(domain.btc);
        assert.equal(domain.events.of('order.payment').length, announced.length, 'nothing new is announced');
        domain.clock.advance(16 * MINUTE);
        assert.equal(await domain.expire(), 0);
        assert.equal(await status(domain, order), 'PENDING');
        assert.deepEqual(await domain.storage.deposits.byOrder(order.id), []);
        assert.equal(await domain.balance('pending', 'BTC'), 0n);
        domain.btc.mine(payment);
        await domain.follow(domain.btc);
        const [deposit] = await domain.storage.deposits.byOrder(order.id);
        assert.deepEqual([deposit?.paidAt, deposit?.seenAt, deposit?.status], [seenAt, seenAt, 'SEEN']);
        assert.deepEqual(await unconfirmedPayments(domain), []);
        assert.equal(await domain.expire(), 0);
        domain.btc.mine();
        await domain.follow(domain.btc);
        assert.equal(await status(domain, order), 'SUCCESS');
        assert.deepEqual(await callbacks(domain, order), ['order.succeeded']);
      },
    );

    till(
      'fault 53: a payment that was spent elsewhere is OVERDUE when it has been missing for a while, and not before',
      async (domain) => {
        const order = await inBtc(domain);
        await send(domain, pay(order));
        domain.clock.advance(35 * MINUTE);
        await lose(domain);
        assert.equal(await domain.expire(), 0);
        domain.clock.advance(DISAPPEARED_AFTER_MS - 1);
        assert.equal(await domain.expire(), 0);
        domain.clock.advance(1);
        assert.equal(await domain.expire(), 1);
        assert.equal(await status(domain, order), 'OVERDUE');
        assert.deepEqual(await callbacks(domain, order), ['order.timeout']);
        domain.clock.advance(49 * 60 * MINUTE);
        await domain.follow(domain.btc);
        assert.deepEqual(await unconfirmedPayments(domain), [], 'what disappeared is forgotten');
      },
    );

    till('a block that is mined while the mempool is looked at makes nothing disappear', async (domain) => {
      const order = await inBtc(domain);
      const payment = await send(domain, pay(order));
      domain.clock.advance(31 * MINUTE);
      domain.btc.beforePending = () => {
        domain.btc.beforePending = () => undefined;
        domain.btc.mine(payment);
      };
      const follower = domain.newFollower(domain.btc);
      await follower.start();
      await follower.step(await domain.lease(domain.btc));
      assert.deepEqual(
        (await unconfirmedPayments(domain)).map((each) => each.status),
        ['WAITING'],
      );
      assert.equal(await domain.expireOrders.run(), 0);
      domain.btc.mine();
      await domain.follow(domain.btc);
      assert.equal(await status(domain, order), 'SUCCESS');
    });

    till('a payment first seen after the deadline is late', async (domain) => {
      const order = await inBtc(domain);
      domain.clock.advance(30 * MINUTE + 1);
      const payment = await send(domain, pay(order));
      assert.equal(await domain.expire(), 1);
      assert.equal(await status(domain, order), 'OVERDUE');
      domain.btc.mine(payment);
      domain.btc.mine();
      await domain.follow(domain.btc);
      assert.equal(await status(domain, order), 'RESOLVED');
      assert.deepEqual(await callbacks(domain, order), ['order.timeout', 'order.succeeded']);
    });

    till('a payment that reached the node in time is in time, though the till was away', async (domain) => {
      const order = await inBtc(domain);
      domain.clock.advance(29 * MINUTE);
      const seenAt = domain.clock.now();
      domain.clock.advance(20 * MINUTE);
      domain.btc.waiting.push(pay(order, DUE, { seenAt }));
      const restarted = domain.newFollower(domain.btc);
      await restarted.start();
      await restarted.step(await domain.lease(domain.btc));
      assert.deepEqual(
        (await unconfirmedPayments(domain)).map((each) => each.seenAt),
        [seenAt],
      );
      assert.equal(await domain.expire(), 0);
    });

    till(
      'a node whose clock is behind does not make a payment older than the look that did not see it',
      async (domain) => {
        const order = await inBtc(domain);
        domain.clock.advance(31 * MINUTE);
        await domain.follow(domain.btc);
        const looked = domain.clock.now();
        domain.clock.advance(1_000);
        await send(domain, pay(order, DUE, { seenAt: looked - 20 * MINUTE }));
        assert.deepEqual(
          (await unconfirmedPayments(domain)).map((each) => each.seenAt),
          [looked],
        );
        assert.equal(await domain.expire(), 1);
      },
    );

    till(
      'while what waits cannot be read, nothing disappears and no order expires; blocks are read all the same',
      async (domain) => {
        const [paid, open_] = [await inBtc(domain), await inBtc(domain)];
        await send(domain, pay(paid));
        domain.btc.waiting = [];
        domain.btc.beforePending = () => {
          throw new Error('still loading');
        };
        for (let hour = 0; hour < 2; hour++) {
          domain.clock.advance(60 * MINUTE);
          domain.btc.mine();
          await assert.rejects(domain.follow(domain.btc), /still loading/);
        }
        assert.equal(await domain.expireOrders.run(), 0);
        assert.deepEqual(
          (await unconfirmedPayments(domain)).map((each) => each.status),
          ['WAITING'],
        );
        assert.equal((await domain.storage.chains.state('BTC'))?.cursor?.height, domain.btc.height);
        domain.btc.beforePending = () => undefined;
        assert.equal(await domain.expire(), 1);
        assert.deepEqual([await status(domain, paid), await status(domain, open_)], ['PENDING', 'OVERDUE']);
      },
    );

    till('a look that saw a part of what waits says nothing of the rest', async (domain) => {
      const order = await inBtc(domain);
      const payment = await send(domain, pay(order));
      domain.clock.advance(31 * MINUTE);
      domain.btc.waiting = [];
      domain.btc.partialLooks = 3;
      const follower = domain.newFollower(domain.btc);
      await follower.start();
      for (let look = 0; look < 3; look++)
        assert.equal(await follower.step(await domain.lease(domain.btc)), 'advanced');
      assert.deepEqual(
        (await unconfirmedPayments(domain)).map((each) => each.status),
        ['WAITING'],
      );
      domain.btc.waiting = [payment];
      assert.equal(await follower.step(await domain.lease(domain.btc)), 'idle');
      assert.deepEqual(
        (await unconfirmedPayments(domain)).map((each) => each.status),
        ['WAITING'],
      );
    });

    till('what comes back keeps the time when it was first seen, also after it counted as gone', async (domain) => {
      const order = await inBtc(domain);
      const seenAt = domain.clock.now();
      const payment = await send(domain, pay(order));
      await lose(domain);
      domain.clock.advance(5 * MINUTE);
      await send(domain, payment);
      await lose(domain);
      domain.clock.advance(9 * MINUTE);
      await domain.follow(domain.btc);
      assert.deepEqual(
        (await unconfirmedPayments(domain)).map((each) => each.status),
        ['MISSING'],
        'counted anew',
      );
      domain.clock.advance(9 * MINUTE);
      await domain.follow(domain.btc);
      assert.deepEqual(
        (await unconfirmedPayments(domain)).map((each) => each.status),
        ['GONE'],
      );
      domain.clock.advance(MINUTE);
      await send(domain, payment);
      assert.deepEqual(
        (await unconfirmedPayments(domain)).map((each) => [each.status, each.seenAt]),
        [['WAITING', seenAt]],
      );
    });

    till('a node cannot date a payment before a whole look at its mempool that did not show it', async (domain) => {
      const order = await inBtc(domain);
      const claimed = domain.clock.now();
      domain.clock.advance(29 * MINUTE);
      await domain.follow(domain.btc);
      const lookedAt = domain.clock.now();
      domain.clock.advance(10 * MINUTE);
      await send(domain, pay(order, DUE, { seenAt: claimed }));
      assert.deepEqual(
        (await unconfirmedPayments(domain)).map(({ seenAt }) => seenAt),
        [lookedAt],
      );
    });

    till('fault 53: a replacement is another payment, with a time of its own', async (domain) => {
      const order = await inBtc(domain);
      await send(domain, pay(order));
      domain.clock.advance(31 * MINUTE);
      domain.btc.waiting = [];
      const replacement = await send(domain, pay(order));
      domain.clock.advance(11 * MINUTE);
      await domain.follow(domain.btc);
      assert.equal(await domain.expire(), 1);
      assert.equal(await status(domain, order), 'OVERDUE');
      domain.btc.mine(replacement);
      domain.btc.mine();
      await domain.follow(domain.btc);
      assert.equal(await status(domain, order), 'RESOLVED');
      assert.equal((await domain.order(order.id)).received, DUE);
    });

    till(
      'an order whose payment waits is neither cancelled nor given another coin; once the payment is gone it may be',
      async (domain) => {
        const vsPrice = readDecimal('10');
        assert.ok(vsPrice);
        const hosted = await domain.createOrder.hosted(domain.principal, { vsCurrency: 'USD', vsPrice, links: LINKS });
        const order = await domain.choosePayment.choose(hosted.checkoutToken, 'BTC', 'BTC');
        await send(domain, pay(order));
        await assert.rejects(domain.choosePayment.choose(hosted.checkoutToken, 'ETH', 'ETH'), {
          code: 'STATE_CONFLICT',
        });
        await assert.rejects(domain.orderAdminActions.terminate(order.id, 'merchant'), { code: 'STATE_CONFLICT' });
        await lose(domain);
        domain.clock.advance(DISAPPEARED_AFTER_MS);
        await domain.follow(domain.btc);
        await domain.choosePayment.choose(hosted.checkoutToken, 'ETH', 'ETH');
        assert.equal((await domain.orderAdminActions.terminate(order.id, 'merchant')).status, 'TERMINATED');
      },
    );

    till(
      'a payment to an earlier choice that waits at the deadline counts at its rate when it is mined',
      async (domain) => {
        const vsPrice = readDecimal('10');
        assert.ok(vsPrice);
        const hosted = await domain.createOrder.hosted(domain.principal, { vsCurrency: 'USD', vsPrice, links: LINKS });
        const chosen = await domain.choosePayment.choose(hosted.checkoutToken, 'BTC', 'BTC');
        await domain.choosePayment.choose(hosted.checkoutToken, 'ETH', 'ETH');
        const payment = await send(domain, pay(chosen));
        domain.clock.advance(31 * MINUTE);
        assert.equal(await domain.expire(), 0);
        domain.btc.mine(payment);
        domain.btc.mine();
        await domain.follow(domain.btc);
        assert.deepEqual(
          [await status(domain, hosted), (await domain.order(hosted.id)).payment?.currency],
          ['SUCCESS', 'BTC'],
        );
      },
    );

    till('the payer sees it at once, with no confirmation, and is not asked to pay again', async (domain) => {
      const order = await inBtc(domain);
      const part = await send(domain, pay(order, DUE / 2n));
      const view = async () => {
        const { seen, received, arrived, remaining, confirmations } = await domain.queries.checkout(
          order.checkoutToken,
        );
        return { seen, received, arrived, remaining, confirmations };
      };
      assert.deepEqual(await view(), {
        seen: true,
        received: '0',
        arrived: '0.0001',
        remaining: '0.0001',
        confirmations: 0,
      });
      domain.btc.mine(part);
      await domain.follow(domain.btc);
      await send(domain, pay(order, DUE / 2n));
      assert.deepEqual(await view(), {
        seen: true,
        received: '0.0001',
        arrived: '0.0002',
        remaining: '0',
        confirmations: 0,
      });
      await lose(domain);
      domain.clock.advance(DISAPPEARED_AFTER_MS);
      await domain.follow(domain.btc);
      assert.deepEqual(await view(), {
        seen: true,
        received: '0.0001',
        arrived: '0.0001',
        remaining: '0.0001',
        confirmations: 1,
      });
    });

    till(
      'fault 51: a payment that lost its block waits again, and its order does not expire meanwhile',
      async (domain) => {
        const order = await inBtc(domain);
        const payment = await send(domain, pay(order));
        domain.btc.mine(payment);
        await domain.follow(domain.btc);
        domain.clock.advance(31 * MINUTE);
        assert.equal(await domain.expire(), 0);
        domain.btc.drop(1);
        domain.btc.mineEmpty(2);
        const follower = domain.newFollower(domain.btc);
        await follower.start();
        await follower.step(await domain.lease(domain.btc));
        assert.equal((await domain.storage.deposits.byOrder(order.id))[0]?.status, 'ORPHANED');
        assert.equal(await domain.expireOrders.run(), 0, 'before anybody looked where it is now');
        domain.btc.waiting = [payment];
        domain.clock.advance(60 * MINUTE);
        assert.equal(await domain.expire(), 0);
        domain.btc.mine(payment);
        domain.btc.mine();
        await domain.follow(domain.btc);
        assert.equal(await status(domain, order), 'SUCCESS');
        assert.deepEqual(await unconfirmedPayments(domain), []);
      },
    );

    till(
      'fault 55: a payment that waits for days is still found in its block, and completes nothing by itself',
      async (domain) => {
        const order = await inBtc(domain);
        const payment = await send(domain, pay(order));
        for (let hour = 0; hour < 80; hour += 10) {
          domain.clock.advance(10 * 60 * MINUTE);
          domain.btc.mine();
          assert.equal(await domain.expire(), hour === 0 ? 1 : 0, 'it is waited for six hours');
        }
        const restarted = domain.newFollower(domain.btc);
        await restarted.start();
        domain.btc.mine(payment);
        domain.btc.mine();
        while ((await restarted.step(await domain.lease(domain.btc))) === 'advanced');
        assert.equal(await status(domain, order), 'OVERDUE');
        assert.equal(await domain.balance('pending', 'BTC'), DUE, 'it is the merchant’s');
      },
    );

    till('a chain whose plugin shows nothing any more gives up what it had shown', async (domain) => {
      const order = await inBtc(domain);
      await send(domain, pay(order));
      delete domain.btc.mempool;
      const follower = domain.newFollower(domain.btc);
      await follower.start();
      domain.clock.advance(31 * MINUTE);
      await follower.step(await domain.lease(domain.btc));
      assert.equal(await domain.expireOrders.run(), 0);
      domain.clock.advance(DISAPPEARED_AFTER_MS);
      await follower.step(await domain.lease(domain.btc));
      assert.equal(await domain.expire(), 1);
      assert.equal(await status(domain, order), 'OVERDUE');
    });

    till('fault 41: a follower that lost its lease records no unconfirmed', async (domain) => {
      const order = await inBtc(domain);
      domain.btc.waiting.push(pay(order));
      const stale = await domain.lease(domain.btc);
      await domain.storage.leases.release(stale);
      const taken = await domain.storage.leases.acquire(stale.name, 'another', 60_000);
      assert.ok(taken);
      await assert.rejects(domain.newFollower(domain.btc).step(stale), { code: 'LEASE_LOST' });
      assert.deepEqual(await unconfirmedPayments(domain), []);
      await domain.storage.leases.release(taken);
    });

    till(
      'fault 40: killed at any call between the mempool and the credit, the till finds the payment in time, once',
      async (domain) => {
        for (const after of [false, true]) {
          for (let at = 1; ; at += 1) {
            const order = await inBtc(domain);
            const payment = pay(order);
            domain.btc.waiting.push(payment);
            const point = new CrashPoint(at, after);
            const chain = point.watch(domain.btc);
            const { stateMachine, latePayments, clock, ids, events, logger, metrics } = domain;
            const doomed = new ChainFollower(chain, {
              storage: point.watch(domain.storage),
              stateMachine,
              latePayments,
              clock,
              ids,
              events,
              logger,
              metrics,
            });
            const lease = await domain.lease(domain.btc);
            const story = async (): Promise<void> => {
              while ((await doomed.step(lease)) === 'advanced');
              domain.clock.advance(31 * MINUTE);
              while ((await doomed.step(lease)) === 'advanced');
              domain.btc.mine(payment);
              while ((await doomed.step(lease)) === 'advanced');
            };
            await story().catch((error: unknown) => {
              if (!(error instanceof Crash)) throw error;
            });
            await domain.follow(domain.btc);
            if (domain.btc.waiting.length > 0) domain.btc.mine(payment);
            domain.btc.mine();
            await domain.follow(domain.btc);
            assert.equal(await status(domain, order), 'SUCCESS', `killed ${after ? 'after' : 'before'} call ${at}`);
            assert.deepEqual(await unconfirmedPayments(domain), []);
            if (!point.crashed) break;
          }
        }
      },
    );
  });
});
