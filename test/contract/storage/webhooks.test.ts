import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  Callback,
  CallbackAttempt,
  CallbackId,
  EventRows,
  RecordedEvent,
  Storage,
  WebhookEndpoint,
  WebhookId,
} from '../../../core/index.ts';
import { RecordingDispatcher } from '../../../adapters/testing/recording-dispatcher.ts';
import { eachStorage } from '../../support/each-storage.ts';
import {
  callback,
  claim,
  credential,
  EVERY_CALLBACK,
  newOrder,
  nextId,
  NOW,
  storedAccount,
  storedOrder,
} from './fixtures.ts';

const LEASE = 60_000;
const PAGE = { before: null, limit: 10 };

async function newEndpoint(storage: Storage, given: Partial<WebhookEndpoint> = {}): Promise<WebhookEndpoint> {
  const made: WebhookEndpoint = {
    id: nextId() as WebhookId,
    accountId: given.accountId ?? (await storedAccount(storage)).id,
    url: 'https://shop.example/events',
    events: ['order.*', 'refund.failed'],
    enabled: true,
    format: 'standard',
    sealed: 'sealed',
    previousSealed: null,
    previousUntil: null,
    createdAt: NOW,
    updatedAt: NOW,
    ...given,
  };
  await storage.transaction((tx) => tx.webhooks.add(made));
  return made;
}

const eventOf = ({ id, accountId, url }: WebhookEndpoint, given: Partial<Callback> = {}): Callback =>
  callback(
    { id: '' as never, accountId },
    {
      orderId: null,
      endpointId: id,
      subjectId: 'subject',
      event: 'order.created',
      method: 'POST',
      url,
      body: '{}',
      ...given,
    },
  );

/** Reports new orders with these rows. */
function reporting(rows: readonly Callback[]): RecordingDispatcher {
  return Object.assign(new RecordingDispatcher(), {
    ofNewRecord: async (_reader: unknown, event: RecordedEvent): Promise<EventRows> => {
      const id = event.type === 'order.created' ? event.order.id : '';
      return { callbacks: rows.filter(({ subjectId }) => subjectId === id), notices: [], audit: [] };
    },
  });
}

const add = (storage: Storage, rows: readonly Callback[]): Promise<void> =>
  storage.transaction(async (tx) => {
    for (const row of rows) assert.equal(await tx.callbacks.add(row), true);
  });

const claimed = async (storage: Storage, at = NOW): Promise<CallbackId[]> =>
  (await storage.callbacks.claimDue(at, LEASE, 10)).map((claim) => claim.callback.id);

eachStorage((_name, open) => {
  test('endpoints come back as they were stored: by id, by account newest first, and the enabled ones oldest first', async (t) => {
    const { storage } = await open(t);
    const first = await newEndpoint(storage);
    const { accountId } = first;
    const off = await newEndpoint(storage, { accountId, enabled: false, previousSealed: 'former', previousUntil: NOW });
    const last = await newEndpoint(storage, { accountId, events: ['alert.raised'] });
    const other = await newEndpoint(storage);
    assert.deepEqual(await storage.webhooks.find(off.id), off);
    assert.equal(await storage.webhooks.find('404' as WebhookId), null);
    assert.equal(await storage.webhooks.find('\0' as WebhookId), null);
    assert.deepEqual(await storage.webhooks.list(accountId, PAGE), [last, off, first]);
    assert.deepEqual(await storage.webhooks.list(null, PAGE), [other, last, off, first]);
    assert.deepEqual(await storage.webhooks.enabled(accountId), [first, last]);
    await storage.transaction(async (tx) => {
      assert.deepEqual(await tx.webhooks.find(off.id), off);
      assert.deepEqual(await tx.webhooks.enabled(accountId), [first, last]);
      assert.equal(await tx.webhooks.countOf(accountId), 3);
    });
  });

  test('an endpoint is changed, gets a new secret beside its former one, and is removed', async (t) => {
    const { storage } = await open(t);
    const made = await newEndpoint(storage);
    const changed = {
      ...made,
      url: 'https://other.example/',
      events: ['deposit.*'],
      enabled: false,
      updatedAt: NOW + 1,
    };
    await storage.transaction((tx) => tx.webhooks.update(changed));
    assert.deepEqual(await storage.webhooks.find(made.id), changed);
    const next = { id: made.id, sealed: 'new', previousUntil: NOW + 9, updatedAt: NOW + 2 };
    await storage.transaction((tx) => tx.webhooks.rotate(next));
    assert.deepEqual(await storage.webhooks.find(made.id), { ...changed, ...next, previousSealed: 'sealed' });
    await storage.transaction((tx) => tx.webhooks.remove(made.id));
    assert.equal(await storage.webhooks.find(made.id), null);
  });

  test('events of an endpoint are rows of the outbox beside those of orders, and are listed by themselves', async (t) => {
    const { storage } = await open(t);
    const endpoint = await newEndpoint(storage);
    const order = await storedOrder(storage, endpoint.accountId);
    const [own, event] = [callback(order), eventOf(endpoint)];
    await add(storage, [own, event, eventOf(await newEndpoint(storage))]);
    assert.deepEqual(await storage.callbacks.find(event.id), event);
    const { accountId, id } = endpoint;
    assert.deepEqual(await storage.callbacks.list({ ...EVERY_CALLBACK, accountId }), [event, own]);
    assert.deepEqual(
      await storage.callbacks.list({ ...EVERY_CALLBACK, accountId, status: 'PENDING', endpointId: id }),
      [event],
    );
    assert.deepEqual(await storage.callbacks.byOrder(order.id), [own]);
  });

  test('an endpoint gets the events of one record in their order, whatever the clocks say, and none waits for one that failed', async (t) => {
    const { storage } = await open(t);
    const endpoint = await newEndpoint(storage);
    const [first, second] = [
      eventOf(endpoint, { createdAt: NOW + 50 }),
      eventOf(endpoint, { event: 'order.succeeded' }),
    ];
    const elsewhere = eventOf(await newEndpoint(storage, { accountId: endpoint.accountId }));
    const another = eventOf(endpoint, { subjectId: 'another' });
    await add(storage, [first, second, another, elsewhere]);
    const [claim, ...others] = await storage.callbacks.claimDue(NOW, LEASE, 10);
    assert.deepEqual(
      [claim, ...others].map((each) => each?.callback.id).toSorted(),
      [first.id, another.id, elsewhere.id].toSorted(),
    );
    assert.deepEqual(await claimed(storage), []);
    const held = [claim!, ...others].find((each) => each.callback.id === first.id)!;
    const retried = { status: 'PENDING', attempts: 1, nextAt: NOW + 99, deliveredAt: null } as const;
    const attempt: CallbackAttempt = { callbackId: first.id, at: NOW, durationMs: 1, httpStatus: 500, error: null };
    assert.equal(await storage.callbacks.finish(held, retried, attempt), true);
    assert.deepEqual(await claimed(storage), [second.id]);
  });

  test('what waits follows a change of the URL, and what was sent does not', async (t) => {
    const { storage } = await open(t);
    const endpoint = await newEndpoint(storage);
    const waits = eventOf(endpoint);
    const sent = eventOf(endpoint, { subjectId: 'another', status: 'DELIVERED', deliveredAt: NOW });
    await add(storage, [waits, sent]);
    const url = 'https://other.example/';
    await storage.transaction((tx) => tx.callbacks.redirect(endpoint.id, url));
    assert.equal((await storage.callbacks.find(waits.id))?.url, url);
    assert.equal((await storage.callbacks.find(sent.id))?.url, endpoint.url);
    await storage.transaction((tx) => tx.webhooks.update({ ...endpoint, url }));
    assert.equal(await storage.callbacks.replay(sent.id, NOW + 5), true);
    assert.deepEqual(await storage.callbacks.find(sent.id), {
      ...sent,
      url,
      status: 'PENDING',
      nextAt: NOW + 5,
      deliveredAt: null,
    });
  });

  test('giving up what waits for an endpoint touches nothing else, and what is being sent changes nothing any more', async (t) => {
    const { storage } = await open(t);
    const endpoint = await newEndpoint(storage);
    const order = await storedOrder(storage, endpoint.accountId);
    const [waits, own] = [eventOf(endpoint), callback(order)];
    const sent = eventOf(endpoint, { subjectId: 'another', status: 'DELIVERED', deliveredAt: NOW });
    await add(storage, [waits, own, sent]);
    const claims = await storage.callbacks.claimDue(NOW, LEASE, 10);
    await storage.transaction((tx) => tx.callbacks.giveUp(endpoint.id));
    const statusOf = async ({ id }: Callback) => (await storage.callbacks.find(id))?.status;
    assert.deepEqual(await Promise.all([waits, own, sent].map(statusOf)), ['DEAD', 'PENDING', 'DELIVERED']);
    const claim = claims.find((each) => each.callback.id === waits.id)!;
    const delivered = { status: 'DELIVERED', attempts: 1, nextAt: NOW, deliveredAt: NOW } as const;
    const attempt: CallbackAttempt = { callbackId: waits.id, at: NOW, durationMs: 1, httpStatus: 200, error: null };
    assert.equal(await storage.callbacks.finish(claim, delivered, attempt), false);
    assert.equal(await statusOf(waits), 'DEAD');
  });

  test('a new order and its events are stored together, in one batch with orders that have none, and not again under one key', async (t) => {
    const { storage } = await open(t);
    const endpoint = await newEndpoint(storage);
    const { accountId } = endpoint;
    const told = Array.from({ length: 4 }, (_, n) => newOrder(accountId, {}, n === 3 ? claim('same') : null));
    const reported = told.filter((_, n) => n !== 1);
    const repeated = newOrder(accountId, {}, claim('same'));
    const rows = [...reported, repeated].map(({ order }) =>
      eventOf(endpoint, { subjectId: order.id, body: '{"a":"\\"\\n"}' }),
    );
    storage.dispatchTo(reporting(rows));
    const plain = Array.from({ length: 4 }, () => newOrder(accountId));
    await Promise.all([...told, ...plain].map((each) => storage.orders.create(each)));
    assert.equal((await storage.orders.create(repeated)).kind, 'repeated');
    const items = await storage.callbacks.list({ ...EVERY_CALLBACK, accountId, endpointId: endpoint.id });
    assert.deepEqual(items.toReversed(), rows.slice(0, -1));
    assert.equal((await storage.orders.list(accountId, { page: 1, size: 10 })).total, 8);
  });

  test('of two orders with one merchant reference, by two instances at once, only the stored one has its event', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const endpoint = await newEndpoint(storage);
    const { accountId, id } = endpoint;
    const races = Array.from({ length: 8 }, (_, n) => `reference ${n}`).flatMap((merchantReference) =>
      [storage, second].map((one) => ({ one, fresh: newOrder(accountId, { merchantReference }) })),
    );
    const rows = races.map(({ fresh }) => eventOf(endpoint, { subjectId: fresh.order.id }));
    for (const one of [storage, second]) one.dispatchTo(reporting(rows));
    const results = await Promise.all(races.map(({ one, fresh }) => one.orders.create(fresh)));
    const created = results.flatMap((result) => (result.kind === 'created' ? [result.order.id as string] : []));
    assert.equal(created.length, 8);
    assert.equal(results.filter(({ kind }) => kind === 'reference-taken').length, 8);
    const items = await storage.callbacks.list({ ...EVERY_CALLBACK, accountId, endpointId: id });
    assert.deepEqual(items.map(({ subjectId }) => subjectId).toSorted(), created.toSorted());
  });

  test('the owner of a credential is found with whether there are endpoints that are switched on', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const { apiKeyHash, apiTokenHash, ...rest } = credential(accountId);
    await storage.accounts.createCredential({ ...rest, apiKeyHash, apiTokenHash });
    const known = async () => [
      (await storage.accounts.findByApiKeyHash(apiKeyHash))?.hasWebhooks,
      (await storage.accounts.findByApiTokenHash(apiTokenHash))?.hasWebhooks,
    ];
    assert.deepEqual(await known(), [false, false]);
    const endpoint = await newEndpoint(storage, { accountId, enabled: false });
    assert.deepEqual(await known(), [false, false]);
    await storage.transaction((tx) => tx.webhooks.update({ ...endpoint, enabled: true }));
    assert.deepEqual(await known(), [true, true]);
  });
});
