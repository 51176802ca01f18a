import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HANDLERS } from '../../../core/index.ts';
import type { Callback, CallbackId, Storage, Subscriber, WebhookEvent } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { subscribe } from '../../support/subscribe.ts';
import { callback, credential, EVERY_CALLBACK, nextId, NOW, storedAccount } from './fixtures.ts';
import { merchant, stored, transfer, withdrawal } from './money-out-fixtures.ts';

const LEASE = 60_000;
const TYPES: readonly WebhookEvent[] = ['order.created', 'order.succeeded'];

const handle = (storage: Storage, types: readonly WebhookEvent[] = TYPES): Promise<boolean> =>
  storage.documents.write(HANDLERS, JSON.stringify(types), 0);

const eventOf = (given: Partial<Callback> = {}): Callback => ({
  ...callback({ id: '' as never, accountId: '' as never }),
  accountId: null,
  orderId: null,
  endpointId: HANDLERS,
  subjectId: 'subject',
  event: 'order.created',
  method: 'POST',
  url: HANDLERS,
  body: '{"data":{}}',
  ...given,
});

const add = (storage: Storage, ...rows: readonly Callback[]): Promise<void> =>
  storage.transaction((tx) => tx.callbacks.addAll(rows));

const claim = async (storage: Storage, types = TYPES, at = NOW): Promise<readonly CallbackId[]> =>
  (await storage.callbacks.claimHandled(types, at, LEASE, 10)).map((claimed) => claimed.callback.id);

/** Stores the outcome of an attempt at an event that this claims. */
async function finish(storage: Storage, { id }: Callback, changes: Partial<Callback>): Promise<void> {
  const held = (await storage.callbacks.claimHandled(TYPES, NOW, LEASE, 10)).find((each) => each.callback.id === id);
  assert.ok(held !== undefined, 'the event is due');
  const outcome = { status: 'PENDING', attempts: 1, nextAt: NOW, deliveredAt: null, ...changes } as const;
  const attempt = { callbackId: id, at: NOW, durationMs: 1, httpStatus: null, error: 'Error: no' };
  assert.equal(await storage.callbacks.finish(held, outcome, attempt), true);
}

const own = (events: readonly WebhookEvent[] = TYPES): Subscriber => ({
  id: HANDLERS,
  accountId: null,
  url: HANDLERS,
  events,
  format: 'standard',
});

eachStorage((_name, open) => {
  test('fault 410: the till’s own handlers hear of every account, after its endpoints, and of the operators; before there are any, nobody does', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const endpoint = await subscribe(storage, accountId);
    const admins = () => storage.transaction((tx) => tx.webhooks.enabledOfAdmins());
    assert.deepEqual([await storage.webhooks.enabled(accountId), await admins()], [[endpoint], []]);
    assert.equal(await handle(storage), true);
    assert.deepEqual(await storage.webhooks.enabled(accountId), [endpoint, own()]);
    assert.deepEqual(await storage.webhooks.enabled((await storedAccount(storage)).id), [own()]);
    await storage.transaction(async (tx) => assert.deepEqual(await tx.webhooks.enabled(accountId), [endpoint, own()]));
    assert.deepEqual(await admins(), [own()]);
  });

  test('they hear of transfers of accounts, and not of the till’s own moves', async (t) => {
    const { storage } = await open(t);
    const account = await merchant(storage);
    const endpoint = await subscribe(storage, account);
    const paid = await stored(storage, withdrawal(account));
    const sweep = await stored(storage, transfer({ kind: 'sweep', accountId: null }));
    await handle(storage);
    await storage.transaction(async (tx) => {
      assert.deepEqual(await tx.webhooks.enabledOfTransfer(paid.id), [endpoint, own()]);
      assert.deepEqual(await tx.webhooks.enabledOfTransfer(sweep.id), []);
      assert.deepEqual(await tx.webhooks.enabledOfTransfer(nextId() as never), []);
    });
  });

  test('they are no endpoint: in no list, not found, not counted; and an account without an endpoint is one whose events somebody hears', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const { apiKeyHash, apiTokenHash, ...rest } = credential(accountId);
    await storage.accounts.createCredential({ ...rest, apiKeyHash, apiTokenHash });
    const heard = async () => [
      (await storage.accounts.findByApiKeyHash(apiKeyHash))?.hasWebhooks,
      (await storage.accounts.findByApiTokenHash(apiTokenHash))?.hasWebhooks,
    ];
    assert.deepEqual(await heard(), [false, false]);
    await handle(storage);
    assert.deepEqual(await heard(), [true, true]);
    assert.deepEqual(await storage.webhooks.list(null, { before: null, limit: 10 }), []);
    assert.equal(await storage.webhooks.find(HANDLERS), null);
    await storage.transaction(async (tx) => {
      assert.equal(await tx.webhooks.find(HANDLERS), null);
      assert.equal(await tx.webhooks.countOf(accountId), 0);
    });
  });

  test('fault 411: their events belong to no account, come back as stored, and are in the lists of all accounts only', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const event = eventOf();
    await add(storage, event);
    assert.deepEqual(await storage.callbacks.find(event.id), event);
    assert.deepEqual(await storage.callbacks.list({ ...EVERY_CALLBACK, status: 'PENDING' }), [event]);
    assert.deepEqual(await storage.callbacks.list({ ...EVERY_CALLBACK, endpointId: HANDLERS }), [event]);
    assert.deepEqual(await storage.callbacks.list({ ...EVERY_CALLBACK, accountId }), []);
  });

  test('fault 412: they are claimed for handlers of their type only, never to be sent, and by one claim at a time', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const [created, succeeded] = [eventOf(), eventOf({ subjectId: 'another', event: 'order.succeeded' })];
    const later = eventOf({ subjectId: 'later', nextAt: NOW + 1 });
    await add(storage, created, succeeded, later);
    assert.deepEqual(await storage.callbacks.claimDue(NOW, LEASE, 10), []);
    assert.deepEqual(await claim(storage, ['alert.raised']), []);
    assert.deepEqual(await claim(second, ['order.succeeded']), [succeeded.id]);
    assert.deepEqual(await claim(storage), [created.id]);
    assert.deepEqual([await claim(storage), await claim(second)], [[], []]);
    assert.deepEqual(await claim(second, TYPES, NOW + 1), [later.id]);
  });

  test('fault 413: events of one record come one after the other: while one is handled or tried again the later ones wait, and one that was given up holds up none', async (t) => {
    const { storage } = await open(t);
    const first = eventOf({ createdAt: NOW + 50 });
    const second = eventOf({ event: 'order.succeeded' });
    const third = eventOf({ event: 'order.succeeded' });
    const other = eventOf({ subjectId: 'another' });
    // The clock of the second one is behind.
    await add(storage, first, second, third, other);
    await finish(storage, first, { nextAt: NOW + 99 });
    assert.deepEqual(await claim(storage), [], 'the first one is to be tried again');
    assert.deepEqual(await claim(storage, TYPES, NOW + 98), []);
    assert.deepEqual(await claim(storage, ['order.succeeded']), [second.id], 'nobody here handles the first one');
    assert.deepEqual(await claim(storage, TYPES, NOW + 99), [first.id]);
  });

  test('an event that was handled or given up lets the next one of its record go', async (t) => {
    const { storage } = await open(t);
    const [first, second, third] = [eventOf(), eventOf(), eventOf()];
    await add(storage, first, second, third);
    await finish(storage, first, { status: 'DELIVERED', deliveredAt: NOW });
    await finish(storage, second, { status: 'DEAD' });
    assert.deepEqual(await claim(storage), [third.id]);
    assert.equal(await storage.callbacks.replay(second.id, NOW), true);
    assert.deepEqual(await claim(storage), [second.id]);
    assert.equal((await storage.callbacks.find(second.id))?.url, HANDLERS);
  });

  test('waiting events of one type are given up, no more than is asked for, of the handlers alone', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const endpoint = await subscribe(storage, accountId);
    const [handled, tried, ...waiting] = [eventOf(), eventOf(), eventOf(), eventOf()];
    const other = eventOf({ event: 'order.succeeded' });
    const sent = eventOf({ accountId, endpointId: endpoint.id, url: endpoint.url });
    await add(storage, handled, tried, ...waiting, other, sent);
    await finish(storage, handled, { status: 'DELIVERED', deliveredAt: NOW });
    await finish(storage, tried, { nextAt: NOW + 99 });
    const giveUp = (limit: number) => storage.transaction((tx) => tx.callbacks.giveUpHandled('order.created', limit));
    assert.deepEqual([await giveUp(2), await giveUp(2), await giveUp(2)], [2, 1, 0]);
    const statuses = await Promise.all(
      [handled, tried, ...waiting, other, sent].map(async ({ id }) => (await storage.callbacks.find(id))?.status),
    );
    assert.deepEqual(statuses, ['DELIVERED', 'DEAD', 'DEAD', 'DEAD', 'PENDING', 'PENDING']);
  });

  test('an event that was given up while it was handled stays so', async (t) => {
    const { storage } = await open(t);
    const event = eventOf();
    await add(storage, event);
    const [held] = await storage.callbacks.claimHandled(TYPES, NOW, LEASE, 10);
    await storage.transaction((tx) => tx.callbacks.giveUpHandled('order.created', 10));
    const outcome = { status: 'DELIVERED', attempts: 1, nextAt: NOW, deliveredAt: NOW } as const;
    const attempt = { callbackId: event.id, at: NOW, durationMs: 1, httpStatus: null, error: null };
    assert.equal(await storage.callbacks.finish(held!, outcome, attempt), false);
    assert.equal((await storage.callbacks.find(event.id))?.status, 'DEAD');
  });

  test('fault 461: the list of types and the events that are given up change together, or neither', async (t) => {
    const { storage, another } = await open(t);
    await handle(storage);
    const event = eventOf();
    await add(storage, event);
    const failing = storage.transaction(async (tx) => {
      assert.equal(await tx.documents.write(HANDLERS, '[]', 1), true);
      assert.equal(await tx.callbacks.giveUpHandled('order.created', 10), 1);
      throw new Error('killed');
    });
    await assert.rejects(failing, /killed/);
    const second = await another();
    assert.deepEqual(
      [(await second.documents.read(HANDLERS))?.value, (await second.callbacks.find(event.id))?.status],
      [JSON.stringify(TYPES), 'PENDING'],
    );
    await storage.transaction(async (tx) => {
      assert.equal(await tx.documents.write(HANDLERS, '[]', 2), false, 'another version');
      assert.equal(await tx.documents.write(HANDLERS, '[]', 1), true);
    });
    assert.deepEqual(await second.documents.read(HANDLERS), { value: '[]', version: 2 });
  });
});
