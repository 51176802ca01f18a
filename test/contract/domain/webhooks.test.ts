import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatInstant } from '../../../core/index.ts';
import type { Callback, Order } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { EVERY_CALLBACK } from '../storage/fixtures.ts';
import { dataIn, eventsFor, subscribe, typesOf } from '../../support/subscribe.ts';

const LINKS = { callbackUrl: 'https://shop.example/paid', timeoutCallback: 'https://shop.example/late' };

const ofRecord = (events: readonly Callback[], id: string): readonly Callback[] =>
  events.filter(({ subjectId }) => subjectId === id);

eachStorage((engine, open) => {
  const till = (name: string, body: (domain: MoneyDomain) => Promise<void>): void => {
    test(name, async () => {
      const opened = await open();
      try {
        const domain = await buildMoney(opened.storage);
        await body(domain);
        await domain.checkBooks();
      } finally {
        await opened.close();
      }
    });
  };

  describe(`what webhook endpoints receive of orders on ${engine}`, () => {
    till(
      'is each step of its life, once, with its record, which says what callbacks do in the words of the till',
      async (domain) => {
        const { storage, principal } = domain;
        const endpoint = await subscribe(storage, principal.accountId, { events: ['order.*'] });
        const order = await domain.newOrder({ links: LINKS, enablePostCallback: true });
        assert.equal(order.payment?.units, 10_000_000n);
        domain.eth.mine({ to: order.payment.address, currency: order.payment.currency, units: 10_000_000n, txid: 'p' });
        domain.eth.mineEmpty(domain.eth.policy.spendableConfirmations);
        await domain.follow();
        const events = await eventsFor(storage, endpoint);
        assert.deepEqual(typesOf(events), ['order.created', 'order.succeeded']);
        const [created, succeeded] = events;
        const [callback] = await storage.callbacks.byOrder(order.id);
        const called = JSON.parse(callback?.body ?? '') as Record<string, unknown>;
        const { platform, status, remark, merchant_reference, metadata, chain, chain_name, amount } = called;
        assert.deepEqual(dataIn(succeeded!), {
          ...{ id: called['order_id'], account: called['user_id'], type: called['order_type'], platform, status },
          ...{ price: called['vs_price'], currency: called['vs_currency'], received: called['obtained'] },
          payment: { chain, chain_name, coin: called['currency'], amount, address: called['to_addr'] },
          ...{ remark, tolerance_bps: order.toleranceBps, merchant_reference, metadata, cart: null },
          created_at: formatInstant(order.createdAt),
          updated_at: formatInstant((await domain.order(order.id)).updatedAt),
          expires_at: formatInstant(order.expiresAt),
          ...{ refunded_amount: '0', refundable_amount: called['obtained'] },
          ...{ refundable: called['refund'], from_address: called['from_addr'], tx_hashes: called['tx_hash_list'] },
        });
        assert.deepEqual([called['order_id'], called['user_id'], status], [order.id, principal.accountId, 'SUCCESS']);
        const { id, status: first, payment } = dataIn(created!);
        assert.deepEqual([id, first, (payment as Record<string, unknown>)['amount']], [order.id, 'PENDING', '10']);
        const { type, timestamp } = JSON.parse(created?.body ?? '') as Record<string, unknown>;
        assert.deepEqual([type, timestamp], ['order.created', formatInstant(order.createdAt)]);
        for (const event of events) {
          assert.deepEqual([event.subjectId, event.method, event.url], [order.id, 'POST', endpoint.url]);
          assert.deepEqual([event.orderId, event.credentialId, event.status], [null, null, 'PENDING']);
        }
      },
    );

    till('is its time-out, its cancellation and its late end', async (domain) => {
      const { storage, principal } = domain;
      const endpoint = await subscribe(storage, principal.accountId);
      const [late, cancelled] = [await domain.newOrder(), await domain.newOrder()];
      await domain.orderAdminActions.terminate(cancelled.id, 'merchant');
      domain.clock.advance(1_801_000);
      domain.eth.mineEmpty(1);
      await domain.follow();
      await domain.expire();
      await domain.orderAdminActions.resolve(late.id, 'merchant');
      const events = await eventsFor(storage, endpoint);
      const lifeOf = ({ id }: Order) => typesOf(ofRecord(events, id));
      assert.deepEqual(lifeOf(late), ['order.created', 'order.timeout', 'order.succeeded']);
      assert.deepEqual(lifeOf(cancelled), ['order.created', 'order.terminated']);
      assert.equal(dataIn(ofRecord(events, cancelled.id).at(-1)!)['status'], 'TERMINATED');
    });

    till('goes to every endpoint that wants the type and is switched on, and to no other account', async (domain) => {
      const { storage, principal } = domain;
      const { accountId } = principal;
      const all = await subscribe(storage, accountId, { events: ['order.*'] });
      const one = await subscribe(storage, accountId, { events: ['order.terminated'] });
      const off = await subscribe(storage, accountId, { events: ['order.*'], enabled: false });
      const order = await domain.newOrder();
      await domain.orderAdminActions.terminate(order.id, 'merchant');
      assert.deepEqual(typesOf(await eventsFor(storage, all)), ['order.created', 'order.terminated']);
      assert.deepEqual(typesOf(await eventsFor(storage, one)), ['order.terminated']);
      assert.deepEqual(await eventsFor(storage, off), []);
      assert.equal((await storage.callbacks.list(EVERY_CALLBACK)).length, 3);
    });

    till(
      'is nothing of a change that is rolled back (fault 179), nor of an order that was there before',
      async (domain) => {
        const { storage, principal, stateMachine, clock } = domain;
        const claim = { route: '/api/order/pay-url', key: 'k', bodyHash: 'a', expiresAt: 9_000_000_000_000 };
        const endpoint = await subscribe(storage, principal.accountId);
        const input = { vsCurrency: 'USD', vsPrice: { digits: 10n, scale: 0 } };
        const order = await domain.createOrder.hosted(principal, input, claim);
        assert.equal((await domain.createOrder.hosted(principal, input, claim)).id, order.id);
        const undone = storage.transaction(async (tx) => {
          const locked = await tx.orders.lock(order.id);
          await stateMachine.move(tx, locked!, [], { rule: 'cancelled', inputs: {} }, { updatedAt: clock.now() });
          throw new Error('rolled back');
        });
        await assert.rejects(undone, /rolled back/);
        assert.deepEqual(typesOf(await eventsFor(storage, endpoint)), ['order.created']);
      },
    );

    till('is not looked up for a credential whose account is known to have no endpoint', async (domain) => {
      const { storage, principal } = domain;
      const endpoint = await subscribe(storage, principal.accountId);
      const input = { vsCurrency: 'USD', vsPrice: { digits: 10n, scale: 0 } };
      await domain.createOrder.hosted({ ...principal, hasWebhooks: false }, input);
      assert.deepEqual(await eventsFor(storage, endpoint), []);
      await domain.createOrder.hosted({ ...principal, hasWebhooks: true }, input);
      assert.deepEqual(typesOf(await eventsFor(storage, endpoint)), ['order.created']);
    });
  });
});
