import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import knex, { type Knex } from 'knex';
import { HANDLERS, isTillgateError } from '../../core/index.ts';
import { createTillgate } from '../../host/embed/index.ts';
import type { Order, TillEvent, Tillgate, TillgateOptions } from '../../host/embed/index.ts';
import { MemoryLogger } from '../support/fakes.ts';
import { ethereum } from '../support/one-chain.ts';
import { freshDatabase } from '../support/postgres.ts';
import { waitFor } from '../support/wait.ts';
import { freshDirectory } from './till-process.ts';

const DATABASES: Readonly<Record<'sqlite' | 'pg', (t: TestContext) => Promise<Knex>>> = {
  sqlite: async (t) => {
    const directory = freshDirectory();
    const connection = { filename: join(directory.path, 'app.db') };
    const db = knex({ client: 'sqlite3', connection, useNullAsDefault: true });
    t.after(() => db.destroy().then(() => directory.remove()));
    return db;
  },
  pg: async (t) => {
    const { url, drop } = await freshDatabase();
    const connection = { connectionString: url, options: '-c synchronous_commit=on' };
    const db = knex({ client: 'pg', connection, pool: { min: 0, max: 8 } });
    t.after(() => db.destroy().then(drop));
    return db;
  },
};

/** Opens tills on one database, and closes them before it goes. */
async function tillsOn(t: TestContext, engine: 'sqlite' | 'pg') {
  const tills: Tillgate[] = [];
  t.after(() => Promise.all(tills.map((till) => till.close())));
  const db = await DATABASES[engine](t);
  const masterKey = randomBytes(32);
  return async (options: Partial<TillgateOptions> = {}): Promise<Tillgate> => {
    const till = await createTillgate({
      database: { knex: db },
      masterKey,
      mode: 'sandbox',
      plugins: [ethereum({ confirmations: 1, pollIntervalMs: 50 })],
      callbacks: { schedule: [0, 0], timeoutSeconds: 1 },
      logger: new MemoryLogger(),
      ...options,
    });
    tills.push(till);
    return till;
  };
}

async function merchant(till: Tillgate): Promise<string> {
  return (await till.accounts.create({ email: 'shop@example.com' })).id;
}

function newOrder(till: Tillgate, account: string): Promise<Order> {
  return till.orders.create({ account, chain: 'ETH', coin: 'USDT-ERC20', currency: 'EUR', price: '25' });
}

const statusOf = async (till: Tillgate, { id }: Order): Promise<string> => (await till.orders.get(id)).status;

const waiting = (till: Tillgate) =>
  till.ports.storage.callbacks.list({
    accountId: null,
    status: 'PENDING',
    endpointId: HANDLERS,
    before: null,
    limit: 100,
  });

describe('an application handles the events of its till', () => {
  for (const engine of ['sqlite', 'pg'] as const) {
    test(`fault 418: ${engine}: a payment right behind a new handler is told to it, and one without a further call too`, async (t) => {
      const till = await (await tillsOn(t, engine))();
      const account = await merchant(till);
      const [first, second] = [await newOrder(till, account), await newOrder(till, account)];
      const { documents } = till.ports.storage;
      const paid: string[] = [];
      till.on('order.succeeded', ({ order }) => void paid.push(order.id));
      await till.sandbox.pay(first.id);
      assert.deepEqual(JSON.parse((await documents.read(HANDLERS))?.value ?? '[]'), ['order.succeeded']);
      await till.sandbox.pay(second.id);
      await waitFor(() => paid.length === 2);
      till.on('order.created', () => undefined);
      await waitFor(async () => (await documents.read(HANDLERS))?.value.includes('order.created'), {
        timeoutMs: 5_000,
      });
    });

    test(`${engine}: each event of an order once, in order, with the data of a webhook, and those of all other kinds`, async (t) => {
      const till = await (await tillsOn(t, engine))();
      const got: TillEvent[] = [];
      const live: string[] = [];
      const account = await merchant(till);
      const note = (event: TillEvent): void => void got.push(event);
      for (const type of ['order.created', 'order.succeeded', 'deposit.credited', 'security.changed'] as const)
        till.on(type, note);
      const end = till.on('order.status', ({ from, to }) => live.push(`${from} → ${to}`), { live: true });
      const order = await newOrder(till, account);
      await till.sandbox.pay(order.id);
      await waitFor(() => got.some(({ type }) => type === 'order.succeeded'), { describe: 'the paid order' });
      await waitFor(async () => (await waiting(till)).length === 0, { describe: 'everything to be handled' });
      assert.deepEqual(live, ['PENDING → SUCCESS']);
      end();
      const own = got.filter((event) => 'order' in event);
      assert.deepEqual(
        own.map(({ type }) => type),
        ['order.created', 'order.succeeded'],
      );
      const [created, succeeded] = own;
      assert.ok(succeeded!.createdAt > created!.createdAt);
      assert.deepEqual([created?.order.id, succeeded?.order.id], [order.id, order.id]);
      assert.deepEqual([created?.order.status, succeeded?.order.status], ['PENDING', 'SUCCESS']);
      assert.equal(succeeded?.order.payment?.coin, 'USDT-ERC20');
      assert.ok(got.some(({ type }) => type === 'deposit.credited'));
      assert.equal(new Set(got.map(({ id }) => id)).size, got.length);
      assert.deepEqual(await till.events.failed(), []);
    });

    test(`fault 414: ${engine}: an event whose handler fails comes again with its id while later ones of its order wait; given up it is listed, and can be made due again`, async (t) => {
      const till = await (await tillsOn(t, engine))();
      const account = await merchant(till);
      const got: string[] = [];
      const ids = new Set<string>();
      let fails = true;
      till.on('order.created', async ({ id }) => {
        got.push('created');
        ids.add(id);
        if (fails) throw new Error('no room, says hunter with api_key=hunter2');
      });
      till.on('order.succeeded', () => void got.push('succeeded'));
      const order = await newOrder(till, account);
      await till.sandbox.pay(order.id);
      await waitFor(() => got.includes('succeeded'), { describe: 'the paid order' });
      assert.deepEqual(got, ['created', 'created', 'created', 'succeeded']);
      const [failed, ...others] = await till.events.failed();
      assert.deepEqual([failed?.type, failed?.attempts, others], ['order.created', 3, []]);
      assert.equal(failed?.error, 'Error: no room, says hunter with api_key=[redacted]');
      assert.deepEqual([...ids], [failed?.id]);
      assert.deepEqual(await till.events.failed({ after: failed?.id ?? '' }), []);
      fails = false;
      await till.events.retry(failed?.id ?? '');
      await waitFor(() => got.length === 5, { describe: 'the event again' });
      await waitFor(async () => (await waiting(till)).length === 0);
      assert.deepEqual([await till.events.failed(), ids.size], [[], 1]);
      await assert.rejects(till.events.retry('404404404404404404'), /NOT_FOUND|no such/);
    });

    test(`fault 412: ${engine}: a second till without a handler takes no event, one whose handler was removed neither, and they wait for one that has it`, async (t) => {
      const open = await tillsOn(t, engine);
      const first = await open();
      const account = await merchant(first);
      const got: string[] = [];
      const end = first.on('order.created', () => void got.push('first'));
      await first.orders.list(); // every call first writes down the types that have a handler
      end();
      const second = await open();
      const order = await newOrder(second, account);
      await second.sandbox.pay(order.id);
      await waitFor(async () => (await statusOf(second, order)) === 'SUCCESS');
      assert.deepEqual(
        (await waiting(first)).map(({ event, attempts, accountId }) => [event, attempts, accountId]),
        [['order.created', 0, null]],
      );
      second.on('order.created', ({ order: created }) => void got.push(created.id));
      await waitFor(async () => (await waiting(first)).length === 0, { describe: 'the event to be handled' });
      assert.deepEqual(got, [order.id]);
    });
  }

  for (const engine of ['sqlite', 'pg'] as const)
    test(`${engine}: a type that nobody handles any more is forgotten: its waiting events are given up and listed, no further ones are written, and a handler makes them written again`, async (t) => {
      const open = await tillsOn(t, engine);
      const till = await open({ workers: 'instance' });
      const account = await merchant(till);
      const end = till.on('order.created', () => undefined);
      const waitingOrder = await till.orders.create({ account, currency: 'EUR', price: '25' });
      await assert.rejects(till.events.forget('order.created'), (error) => isTillgateError(error, 'STATE_CONFLICT'));
      end();
      await assert.rejects(till.events.forget('order.stolen' as 'order.created'), /type/);
      assert.equal(await till.events.forget('order.created'), 1);
      assert.equal(await till.events.forget('order.created'), 0);
      await till.orders.create({ account, currency: 'EUR', price: '25' });
      assert.deepEqual(await waiting(till), []);
      const [given, ...others] = await till.events.failed();
      assert.deepEqual([given?.type, given?.attempts, given?.error, others], ['order.created', 0, null, []]);
      const got: string[] = [];
      const second = await open();
      second.on('order.created', ({ order }) => void got.push(order.id));
      const later = await second.orders.create({ account, currency: 'EUR', price: '25' });
      await second.events.retry(given?.id ?? '');
      await waitFor(() => got.length === 2, { describe: 'both events' });
      assert.deepEqual(got.toSorted(), [waitingOrder.id, later.id].toSorted());
    });

  test('a handler’s events are written from the next call on, also by a process that leaves the work to others', async (t) => {
    const till = await (await tillsOn(t, 'sqlite'))({ workers: 'instance' });
    till.on('order.created', () => undefined);
    till.on('order.succeeded', () => undefined)();
    await till.orders.list();
    assert.equal((await till.ports.storage.documents.read(HANDLERS))?.value, '["order.created"]');
    assert.throws(() => till.on('order.stolen' as 'order.created', () => undefined), /type/);
  });

  test('fault 411: events of handlers are shown to operators alone, and the handlers are no webhook endpoint', async (t) => {
    const till = await (await tillsOn(t, 'sqlite'))();
    const account = await merchant(till);
    till.on('order.created', () => {
      throw new Error('no');
    });
    await newOrder(till, account);
    const [failed] = await waitFor(async () => {
      const list = await till.events.failed();
      return list.length > 0 && list;
    });
    const id = failed?.id ?? '';
    assert.deepEqual(
      (await till.callbacks.list()).items.map((each) => [each.id, each.account, each.url]),
      [[id, null, HANDLERS]],
    );
    assert.equal((await till.callbacks.get(id)).attempts, 3);
    const absent = (error: unknown): boolean => isTillgateError(error, 'NOT_FOUND');
    await assert.rejects(till.webhooks.get(HANDLERS), absent);
    await assert.rejects(till.webhooks.update(HANDLERS, { enabled: false }), absent);
    await assert.rejects(till.webhooks.remove(HANDLERS), absent);
    await assert.rejects(till.callbacks.list({ webhook: HANDLERS }), absent);
    const { apiKey } = await till.credentials.create({ account });
    const ask = async (method: string, path: string): Promise<unknown> => {
      const headers = { Authorization: `Bearer ${apiKey}` };
      const reply = await till.fetch(new Request(`http://localhost:3000/v1/${path}`, { method, headers }));
      return reply.ok ? reply.json() : reply.status;
    };
    assert.deepEqual(await ask('GET', 'callbacks'), { items: [], next_cursor: null });
    assert.equal(await ask('GET', `callbacks/${id}`), 404);
    assert.equal(await ask('POST', `callbacks/${id}/redeliver`), 404);
    assert.equal(await ask('GET', `webhooks/${HANDLERS}`), 404);
  });

  test('fault 416: a till that is closed waits for a handler that is running, and its event is handled', async (t) => {
    const open = await tillsOn(t, 'sqlite');
    const till = await open({ callbacks: { timeoutSeconds: 120 } });
    const account = await merchant(till);
    let free: () => void = () => undefined;
    let begun = false;
    till.on('order.created', async () => {
      begun = true;
      await new Promise<void>((resolve) => (free = resolve));
    });
    const order = await newOrder(till, account);
    await waitFor(() => begun);
    let closed = false;
    const other = await open();
    const closing = till.close().then(() => (closed = true));
    // So many that a till which waited for nothing would be closed after them.
    for (let count = 0; count < 300; count += 1) assert.equal((await waiting(other)).length, 1);
    assert.equal(closed, false, 'the till waits for the handler');
    free();
    await closing;
    assert.deepEqual(await waiting(other), []);
    assert.equal(await statusOf(other, order), 'PENDING');
  });
});
