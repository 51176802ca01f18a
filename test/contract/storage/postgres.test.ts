import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import knex from 'knex';
import type { SqlStorage } from '../../../adapters/storage/knex/index.ts';
import { isTillgateError } from '../../../core/index.ts';
import { MemoryMetrics } from '../../support/fakes.ts';
import { freshDatabase } from '../../support/postgres.ts';
import { silentLogger, openStorageAlone } from '../../support/storage.ts';
import { waitFor } from '../../support/wait.ts';
import { deposit, entry, newOrder, NOW, storedAccount, storedOrder } from './fixtures.ts';

const deps = { logger: silentLogger, guardNesting: true };
const notReady = (error: unknown): boolean => isTillgateError(error, 'NOT_READY');

async function database(t: TestContext): Promise<string> {
  const { url, drop } = await freshDatabase();
  t.after(drop);
  return url;
}

async function opened(t: TestContext, connection: string, pool = {}): Promise<SqlStorage> {
  const storage = await openStorageAlone({ client: 'pg', connection, pool }, deps);
  t.after(() => storage.close());
  await storage.migrate();
  return storage;
}

function admin(t: TestContext, connection: string) {
  const made = knex({ client: 'pg', connection, pool: { min: 0, max: 2 } });
  t.after(() => made.destroy());
  return made;
}

/** A proxy to the database that can be cut, like a network or a stopped server. */
class Wire {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;
  readonly #target: URL;

  constructor(target: string) {
    this.#target = new URL(target);
  }

  get url(): string {
    const url = new URL(this.#target);
    url.port = String(this.#port);
    return url.href;
  }

  async up(): Promise<void> {
    this.#server = createServer((socket) => {
      const upstream = connect(Number(this.#target.port), this.#target.hostname);
      for (const each of [socket, upstream]) {
        this.#sockets.add(each);
        each.on('error', () => undefined).once('close', () => this.#sockets.delete(each));
      }
      socket.pipe(upstream).pipe(socket);
    });
    await new Promise<void>((resolve) => this.#server!.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async down(): Promise<void> {
    for (const each of this.#sockets) each.destroy();
    await new Promise<void>((resolve) => this.#server!.close(() => resolve()));
  }
}

describe('PostgreSQL', () => {
  test('fault 67: while the database is away everything is NOT_READY, and when it is back it works without a restart', async (t) => {
    const wire = new Wire(await database(t));
    await wire.up();
    t.after(() => wire.down());
    const storage = await opened(t, wire.url);
    const { id } = await storedAccount(storage);
    const before = await storedOrder(storage, id);
    await wire.down();
    await assert.rejects(storage.ping(), notReady);
    await assert.rejects(storage.orders.find(before.id), notReady);
    await assert.rejects(
      storage.transaction((tx) => tx.ledger.append(entry(id, 'away', 1n))),
      notReady,
    );
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => storage.orders.create(newOrder(id))));
    assert.ok(results.every((result) => result.status === 'rejected' && notReady(result.reason)));
    await wire.up();
    await storage.ping();
    assert.equal((await storedOrder(storage, id)).number, 2);
    assert.deepEqual(await storage.ledger.balances(''), []);
  });

  test('fault 67: a killed connection fails its transaction as NOT_READY with nothing written, and the next one works', async (t) => {
    const url = await database(t);
    const storage = await opened(t, url);
    const root = admin(t, url);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const kill = () =>
      root.raw(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tillgate' AND datname = current_database()",
      );
    const work = storage.transaction(async (tx) => {
      await tx.deposits.add(deposit(made));
      await kill();
      await tx.ledger.append(entry(made.accountId, 'killed', 1n));
    });
    await assert.rejects(work, notReady);
    assert.deepEqual(await storage.deposits.byOrder(made.id), []);
    // Connections that die while they are idle in the pool are replaced silently.
    await storage.ping();
    await kill();
    assert.equal((await storage.orders.find(made.id))?.id, made.id);
    await kill();
    assert.equal(await storage.transaction((tx) => tx.deposits.add(deposit(made))), true);
  });

  test('a deadlock is tried again from the start of the work', async (t) => {
    const storage = await opened(t, await database(t));
    const { id } = await storedAccount(storage);
    const orders = [await storedOrder(storage, id), await storedOrder(storage, id)];
    let runs = 0;
    let arrived = 0;
    const crossing = (first: number) =>
      storage.transaction(async (tx) => {
        runs += 1;
        await tx.orders.lock(orders[first]!.id);
        arrived += 1;
        await waitFor(() => arrived >= 2);
        await tx.orders.lock(orders[1 - first]!.id);
        await tx.orders.update(orders[first]!.id, { received: 1n, updatedAt: NOW });
      });
    await Promise.all([crossing(0), crossing(1)]);
    assert.ok(runs >= 3, `${runs} runs`);
    assert.deepEqual(
      await Promise.all(orders.map(async ({ id: each }) => (await storage.orders.find(each))?.received)),
      [1n, 1n],
    );
  });

  test('adding a deposit waits for a decision on its order, so that a decision on "nothing seen" stands', async (t) => {
    const storage = await opened(t, await database(t));
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const steps: string[] = [];
    let adding: Promise<unknown> = Promise.resolve();
    let locked: () => void = () => {};
    adding = new Promise<void>((resolve) => (locked = resolve))
      .then(() => storage.transaction((tx) => tx.deposits.add(deposit(made))))
      .then(() => steps.push('added'));
    await storage.transaction(async (tx) => {
      await tx.orders.lock(made.id);
      locked();
      for (let n = 0; n < 20; n++) assert.deepEqual(await tx.deposits.byOrder(made.id), []);
      steps.push('decided');
    });
    await adding;
    assert.deepEqual(steps, ['decided', 'added']);
  });

  test('connections wait for their commit on disk, whatever the server’s default; an embedder’s that do not are refused', async (t) => {
    const url = await database(t);
    const root = admin(t, url);
    await root.raw(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
    const own = knex({ client: 'pg', connection: url, pool: { min: 0, max: 2 } });
    t.after(() => own.destroy());
    await assert.rejects(
      openStorageAlone({ knex: own }, deps),
      (error) => isTillgateError(error, 'CONFIG_INVALID') && /synchronous_commit/.test(error.message),
    );
    const storage = await opened(t, url);
    await storedOrder(storage, (await storedAccount(storage)).id);
  });

  test('a statement that the server gives up on is NOT_READY', async (t) => {
    const url = await database(t);
    const storage = await opened(t, url);
    const root = admin(t, url);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    await root.transaction(async (blocker) => {
      await blocker.raw('LOCK TABLE deposits');
      const waiting = storage.transaction((tx) => tx.deposits.add(deposit(made)));
      const waits =
        "FROM pg_stat_activity WHERE application_name = 'tillgate' AND datname = current_database() AND wait_event_type = 'Lock'";
      const cancelled = waitFor(
        async () => (await root.raw<{ rowCount: number }>(`SELECT pg_cancel_backend(pid) ${waits}`)).rowCount > 0,
      );
      await Promise.all([assert.rejects(waiting, notReady), cancelled]);
    });
    assert.equal(await storage.transaction((tx) => tx.deposits.add(deposit(made))), true);
  });

  test('a check of the books waits longer than any other statement may take', async (t) => {
    const url = await database(t);
    await opened(t, url);
    const root = admin(t, url);
    const options = '-c synchronous_commit=on -c statement_timeout=100';
    const own = knex({ client: 'pg', connection: { connectionString: url, options }, pool: { min: 0, max: 2 } });
    t.after(() => own.destroy());
    const storage = await openStorageAlone({ knex: own }, deps);
    const { ledger } = storage;
    const checks = ['unbalancedEntries', 'driftedBalances', 'mismatchedDeposits', 'missingCallbacks'] as const;
    for (const check of [...checks, 'mismatchedTransfers', 'driftedUnassigned'] as const) {
      let answered = false;
      const checking = root.transaction(async (blocker) => {
        await blocker.raw('LOCK TABLE ledger_postings, ledger_entries, deposits, orders, transfers');
        const answer = ledger[check](10).finally(() => (answered = true));
        await Promise.race([answer, root.raw('SELECT pg_sleep(0.3)')]);
        assert.equal(answered, false, check);
        return { answer };
      });
      assert.deepEqual(await (await checking).answer, [], check);
    }
    await storage.close();
  });

  test('an embedder’s own pool with a prefix serves as well, and stays its own', async (t) => {
    const url = await database(t);
    const own = knex({
      client: 'pg',
      connection: { connectionString: url, options: '-c synchronous_commit=on' },
      pool: { min: 0, max: 2 },
    });
    t.after(() => own.destroy());
    const storage = await openStorageAlone({ knex: own }, { ...deps, tablePrefix: 'till_' });
    await storage.migrate();
    const { id } = await storedAccount(storage);
    const results = await Promise.all(Array.from({ length: 20 }, () => storage.orders.create(newOrder(id))));
    assert.ok(results.every(({ kind }) => kind === 'created'));
    await storage.close();
    const { rows } = await own.raw<{ rows: { n: number }[] }>('SELECT count(*)::int AS n FROM till_orders');
    assert.equal(rows[0]?.n, 20);
  });

  test('no database of that name, no server at all: NOT_READY without the address in the message', async (t) => {
    const url = new URL(await database(t));
    url.pathname = '/none_of_this_name';
    const quiet = (error: unknown): boolean =>
      notReady(error) && !JSON.stringify([String(error), (error as Error).stack]).includes(url.password);
    await assert.rejects(openStorageAlone({ client: 'pg', connection: url.href }, deps), quiet);
    url.port = '1';
    await assert.rejects(openStorageAlone({ client: 'pg', connection: url.href }, deps), quiet);
  });

  test('how long work waits for a connection is counted, and what finds one free does not count', async (t) => {
    const metrics = new MemoryMetrics();
    const connection = await database(t);
    const storage = await openStorageAlone({ client: 'pg', connection, pool: { max: 2 } }, { ...deps, metrics });
    t.after(() => storage.close());
    const waited = (): number => metrics.counts.get('tillgate_database_wait_seconds_total') ?? 0;
    const held: Promise<unknown>[] = [];
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const hold = (): Promise<void> => new Promise((begun) => held.push(storage.transaction(() => (begun(), ended))));
    await hold();
    await storage.ping();
    await hold();
    assert.equal(waited(), 0);
    const third = storage.ping();
    await nextTurn();
    end();
    await Promise.all([...held, third]);
    assert.ok(waited() > 0);
  });
});
