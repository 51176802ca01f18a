import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import knex, { type Knex } from 'knex';
import { hasWalResetBug, refuseBadSqlite } from '../../../adapters/storage/knex/dialects/sqlite-version.ts';
import { acquireServerLock } from '../../../adapters/storage/knex/index.ts';
import type { SqlStorage } from '../../../adapters/storage/knex/index.ts';
import { isTillgateError } from '../../../core/index.ts';
import { endWithThisProcess, stopProcess } from '../../support/processes.ts';
import { openStorageAlone, silentLogger, sqliteFile, sqliteSettings } from '../../support/storage.ts';
import { entry, newOrder, NOW, storedAccount, storedOrder } from './fixtures.ts';

const deps = { logger: silentLogger, guardNesting: true };
const notReady = (error: unknown): boolean => isTillgateError(error, 'NOT_READY');

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'tillgate-sqlite-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function opened(t: TestContext, config: Parameters<typeof openStorageAlone>[0]): Promise<SqlStorage> {
  const storage = await openStorageAlone(config, deps);
  t.after(() => storage.close());
  await storage.migrate();
  return storage;
}

/** A knex instance on a file, as an embedder has one. */
function instance(t: TestContext, filename: string) {
  const made = knex(sqliteSettings(filename));
  t.after(() => made.destroy());
  return made;
}

describe('SQLite', () => {
  test('fault 63: every connection runs with WAL, synchronous FULL and foreign keys, also on a file that is reopened', async (t) => {
    const filename = join(folder(t), 'till.db');
    await (await opened(t, sqliteFile(filename))).close();
    const own = instance(t, filename);
    assert.deepEqual(await own.raw('PRAGMA synchronous = NORMAL'), []);
    const storage = await openStorageAlone({ knex: own }, deps);
    await storage.ping();
    const ask = async (name: string): Promise<unknown> =>
      Object.values((await own.raw<object[]>(`PRAGMA ${name}`))[0]!)[0];
    assert.deepEqual(await Promise.all(['synchronous', 'foreign_keys', 'journal_mode', 'busy_timeout'].map(ask)), [
      2,
      1,
      'wal',
      // The client of node:sqlite waits for locks by itself.
      (own.client as { driverName: string }).driverName === 'node:sqlite' ? 0 : 5000,
    ]);
    await storage.close();
    assert.deepEqual(await own.raw('SELECT 1 AS alive'), [{ alive: 1 }], 'an embedder’s instance stays open');
  });

  test('fault 64: versions with the WAL-reset bug are refused by name, corrected ones are not', () => {
    for (const bad of ['3.7.0', '3.43.9', '3.44.5', '3.45.0', '3.50.6', '3.51.0', '3.51.2', '2.8.17']) {
      assert.equal(hasWalResetBug(bad), true, bad);
      assert.throws(
        () => refuseBadSqlite(bad),
        (error: Error) => isTillgateError(error, 'CONFIG_INVALID') && error.message.includes(bad),
      );
    }
    for (const good of ['3.44.6', '3.50.7', '3.51.3', '3.52.0', '3.53.2', '4.0.0']) refuseBadSqlite(good);
    assert.throws(
      () => refuseBadSqlite('unknown'),
      (error) => isTillgateError(error, 'CONFIG_INVALID'),
    );
  });

  test('fault 67: a full disk is NOT_READY, nothing of the work stays, and room makes everything work again', async (t) => {
    const own = instance(t, join(folder(t), 'till.db'));
    const storage = await opened(t, { knex: own });
    const { id } = await storedAccount(storage);
    await storedOrder(storage, id);
    const pages = (await own.raw<{ page_count: number }[]>('PRAGMA page_count'))[0]!.page_count;
    await own.raw(`PRAGMA max_page_count = ${String(pages)}`);
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, () => storage.orders.create(newOrder(id, { remark: 'x'.repeat(5000) }))),
    );
    assert.ok(results.every((result) => result.status === 'rejected' && notReady(result.reason)));
    const work = storage.transaction(async (tx) => {
      for (let n = 0; n < 200; n++) await tx.ledger.append(entry(id, `${n}`.repeat(200), 1n));
    });
    await assert.rejects(work, notReady);
    assert.equal((await storage.orders.list(id, { page: 1, size: 10 })).total, 1);
    assert.deepEqual(await storage.ledger.balances(''), []);
    await own.raw('PRAGMA max_page_count = 1000000');
    assert.equal((await storedOrder(storage, id)).number, 2);
    assert.deepEqual(await storage.integrity(), []);
  });

  test('fault 67: a file that can not be opened, is no database or has a folder in its place is NOT_READY', async (t) => {
    const place = folder(t);
    const garbage = join(place, 'garbage.db');
    writeFileSync(garbage, 'this is no database, and it is long enough to be read as a header of one'.repeat(20));
    for (const filename of [join(place, 'missing', 'till.db'), garbage, place]) {
      await assert.rejects(openStorageAlone(sqliteFile(filename), deps), notReady, filename);
    }
    assert.ok(place);
  });

  test('reads go on while a transaction is open, and see what was committed before', async (t) => {
    const storage = await opened(t, sqliteFile(join(folder(t), 'till.db')));
    const { id } = await storedAccount(storage);
    const made = await storedOrder(storage, id);
    let reading: Promise<unknown> = Promise.resolve();
    let go: () => void = () => {};
    const started = new Promise<void>((resolve) => (go = resolve));
    reading = started.then(() => storage.orders.find(made.id));
    await storage.transaction(async (tx) => {
      await tx.orders.update(made.id, { received: 5n, updatedAt: NOW + 1 });
      go();
      assert.deepEqual(await reading, made);
    });
    assert.equal((await storage.orders.find(made.id))?.received, 5n);
  });

  test('an in-memory database works through its one connection', async (t) => {
    const storage = await opened(t, sqliteFile(':memory:'));
    const { id } = await storedAccount(storage);
    await Promise.all(Array.from({ length: 20 }, () => storage.orders.create(newOrder(id))));
    assert.equal((await storage.orders.list(id, { page: 1, size: 1 })).total, 20);
    await (await acquireServerLock(sqliteFile(':memory:'))).release();
  });

  test('damage is found by the integrity check', async (t) => {
    const own = instance(t, join(folder(t), 'till.db'));
    const storage = await opened(t, { knex: own });
    await own.raw('PRAGMA foreign_keys = OFF');
    await own.raw("INSERT INTO account_counters (account_id, counter, last) VALUES ('404', 'orders', 1)");
    assert.deepEqual(await storage.integrity(), ['a row of account_counters refers to a missing row']);
  });

  test('a knex instance of another engine is refused', async () => {
    const foreign = { client: { driverName: 'mysql2' } } as unknown as Knex;
    await assert.rejects(openStorageAlone({ knex: foreign }, deps), (error) =>
      isTillgateError(error, 'CONFIG_INVALID'),
    );
  });
});

describe('the server lock of a SQLite file', () => {
  test('a second server is refused, a command beside the first is not', async (t) => {
    const filename = join(folder(t), 'till.db');
    const storage = await opened(t, sqliteFile(filename));
    const lock = await acquireServerLock(sqliteFile(filename));
    await assert.rejects(acquireServerLock(sqliteFile(filename)), (error) => isTillgateError(error, 'CONFIG_INVALID'));
    const command = await opened(t, sqliteFile(filename));
    const { id } = await storedAccount(command);
    assert.equal((await storage.accounts.find(id))?.id, id);
    await lock.release();
    await (await acquireServerLock(sqliteFile(filename))).release();
  });

  test('kill -9 of the server frees it at once', async (t) => {
    const filename = join(folder(t), 'till.db');
    const module = new URL('../../../adapters/storage/knex/index.ts', import.meta.url).href;
    const script = `import(${JSON.stringify(module)}).then(async (m) => {
      await m.acquireServerLock(${JSON.stringify(sqliteFile(filename))});
      process.stdout.write('held'); setInterval(() => {}, 1000); });`;
    const server = spawn(process.execPath, ['--import', 'tsx', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    endWithThisProcess(server);
    await new Promise((resolve) => server.stdout.once('data', resolve));
    await assert.rejects(acquireServerLock(sqliteFile(filename)), (error) => isTillgateError(error, 'CONFIG_INVALID'));
    await stopProcess(server, 'SIGKILL');
    await (await acquireServerLock(sqliteFile(filename))).release();
  });

  test('a lock file that can not be made is an error of its own', async (t) => {
    const place = folder(t);
    chmodSync(place, 0o700);
    await assert.rejects(acquireServerLock(sqliteFile(join(place, 'missing', 'till.db'))), /CANTOPEN/);
  });
});
