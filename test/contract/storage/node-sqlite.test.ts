import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import knex, { type Knex } from 'knex';
import { defectOfNodeSqlite, thisNode } from '../../../adapters/storage/knex/drivers/node-sqlite-module.ts';
import type { NodeSqlite } from '../../../adapters/storage/knex/drivers/node-sqlite-module.ts';
import { driverNotice, driverOf, sqliteClient } from '../../../adapters/storage/knex/drivers/sqlite-client.ts';
import type { SqliteClientOptions } from '../../../adapters/storage/knex/drivers/sqlite-client.ts';
import { nameOfCode } from '../../../adapters/storage/knex/drivers/sqlite-codes.ts';
import { acquireServerLock } from '../../../adapters/storage/knex/index.ts';
import { describeStorage } from '../../../adapters/testing/index.ts';
import { isTillgateError } from '../../../core/index.ts';
import { createTillgate } from '../../../host/embed/index.ts';
import { MemoryLogger } from '../../support/fakes.ts';
import { ethereum } from '../../support/one-chain.ts';
import { endWithThisProcess, stopProcess } from '../../support/processes.ts';
import { openStorageAlone, openTestStorage, silentLogger } from '../../support/storage.ts';
import { entry, NOW, storedAccount, storedOrder } from './fixtures.ts';

const deps = { logger: silentLogger, guardNesting: true };
/** Why the Node that runs this has no usable `node:sqlite`; `null` when it has. */
const DEFECT = defectOfNodeSqlite(thisNode());

/** The client of a knex instance. */
interface Client {
  acquireConnection(): Promise<{ prepare(sql: string): unknown; close(): void }>;
  releaseConnection(connection: object): Promise<void>;
  _query(connection: object, query: object): Promise<{ readonly response: unknown }>;
}

function databaseFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-node-sqlite-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'till.db');
}

const refused =
  (...parts: readonly string[]) =>
  (error: unknown): boolean =>
    isTillgateError(error, 'CONFIG_INVALID') && parts.every((part) => error.message.includes(part));

describe('the driver of a SQLite file', () => {
  const found = (reason: string | null, node: string | null, installed = false) => ({
    sqlite3: () => (reason === null ? null : { reason, installed }),
    node: () => node,
  });

  test('is the package sqlite3 where it loads, node:sqlite where it does not, and otherwise words on what to install', () => {
    assert.equal(driverOf('sqlite', found(null, null)), 'sqlite3');
    assert.equal(driverOf('sqlite', found(null, 'Node 20 has none')), 'sqlite3');
    assert.equal(driverOf('sqlite', found('it is missing', null)), 'node');
    assert.throws(
      () => driverOf('sqlite', found('it is missing', 'Node 20 has none')),
      refused('it is missing', 'Node 20 has none', 'npm install sqlite3', 'Node 22.22.3, 24.15 or later'),
    );
  });

  test('a package sqlite3 that is installed and broken is named with its cure, whether node:sqlite takes its place or not', () => {
    const notice = driverNotice('sqlite', found('it was built for another Node', null, true)) ?? '';
    for (const part of ['it was built for another Node', 'node:sqlite is used', 'npm rebuild sqlite3'])
      assert.ok(notice.includes(part), notice);
    for (const usual of [found(null, null), found('it is missing', null), found('it is broken', 'Node 20', true)])
      assert.equal(driverNotice('sqlite', usual), null);
    assert.equal(driverNotice('node', found('it is broken', null, true)), null);
    assert.throws(
      () => driverOf('sqlite', found('it was built for another Node', 'Node 20 has none', true)),
      refused('it was built for another Node', 'Node 20 has none', 'npm rebuild sqlite3', '24.15 or later'),
    );
  });

  test('is the one that is named', () => {
    assert.equal(driverOf('sqlite3', found('it is missing', null)), 'sqlite3');
    assert.equal(driverOf('better-sqlite3', found('it is missing', null)), 'better-sqlite3');
    assert.equal(driverOf('node', found(null, null)), 'node');
    assert.throws(() => driverOf('node', found(null, 'Node 20 has none')), refused('Node 20 has none', '22.22.3'));
  });

  test('is the package sqlite3 in this repository', () => {
    assert.equal(driverOf('sqlite'), 'sqlite3');
  });

  test('is not a node:sqlite that is missing, too old, or damages databases', () => {
    const moduleWith = (...methods: readonly string[]): NodeSqlite =>
      ({ StatementSync: { prototype: Object.fromEntries(methods.map((name) => [name, () => undefined])) } }) as never;
    const whole = moduleWith('columns', 'setReturnArrays');
    const defects = [
      { version: '20.19.0', sqlite: undefined, module: undefined },
      { version: '22.15.0', sqlite: '3.51.3', module: moduleWith('setReturnArrays') },
      { version: '23.11.0', sqlite: '3.51.3', module: moduleWith('columns') },
      { version: '22.22.2', sqlite: '3.51.2', module: whole },
      { version: '24.15.0', sqlite: '3.51.3', module: whole },
    ].map(defectOfNodeSqlite);
    assert.deepEqual(defects, [
      'Node 20.19.0 has no node:sqlite',
      'the node:sqlite of Node 22.15.0 is too old',
      'the node:sqlite of Node 23.11.0 is too old',
      'the SQLite 3.51.2 of Node 22.22.2 can damage a database in WAL mode',
      null,
    ]);
  });
});

test('a result code of SQLite has its name, an extended one of a later SQLite that of its primary code', () => {
  const names = [1, 5, 261, 517, 10, 1034, 13, 14, 516, 275, 787, 1299, 1555, 2067, 3091, 19 + (99 << 8), 77].map(
    nameOfCode,
  );
  assert.deepEqual(names, [
    ...['SQLITE_ERROR', 'SQLITE_BUSY', 'SQLITE_BUSY_RECOVERY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_IOERR'],
    ...['SQLITE_IOERR_FSYNC', 'SQLITE_FULL', 'SQLITE_CANTOPEN', 'SQLITE_ABORT_ROLLBACK', 'SQLITE_CONSTRAINT_CHECK'],
    ...['SQLITE_CONSTRAINT_FOREIGNKEY', 'SQLITE_CONSTRAINT_NOTNULL', 'SQLITE_CONSTRAINT_PRIMARYKEY'],
    ...['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_DATATYPE', 'SQLITE_CONSTRAINT', 'SQLITE_77'],
  ]);
});

if (DEFECT !== null) {
  describe('on a Node without a usable node:sqlite', () => {
    test('a database and a lock by it are refused in words that help', async (t) => {
      const config = { client: 'node', filename: databaseFile(t) } as const;
      const isHelpful = refused(DEFECT, 'Node 22.22.3, 24.15 or later', 'the package sqlite3');
      await assert.rejects(openStorageAlone(config, deps), isHelpful);
      await assert.rejects(acquireServerLock(config), isHelpful);
      assert.equal(existsSync(config.filename), false);
    });
  });
} else {
  describeStorage('node:sqlite', () => openTestStorage('sqlite', undefined, 'node'));

  describe('node:sqlite', () => {
    /** A knex instance on a file, with the driver. */
    function instance(t: TestContext, filename = ':memory:', options: SqliteClientOptions = {}): Knex {
      const { settings } = sqliteClient({ client: 'node', filename }, options);
      const made = knex({ ...settings, compileSqlOnError: false, pool: { min: 1, max: 1 } });
      t.after(() => made.destroy());
      return made;
    }
    async function opened(t: TestContext, filename: string) {
      const storage = await openStorageAlone({ client: 'node', filename }, deps);
      t.after(() => storage.close());
      await storage.migrate();
      return storage;
    }

    test('values come back as they were bound, and rows are plain objects with every column', async (t) => {
      const db = instance(t);
      const bytes = Buffer.from([0, 255, 7]);
      const [row] = await db.raw<object[]>(
        'SELECT ? AS yes, ? AS no, ? AS empty, ? AS safe, ? AS half, ? AS words, ? AS bytes',
        [true, false, null, 2 ** 53 - 1, 0.5, 'h€llo 🙂', bytes] as Knex.RawBinding[],
      );
      assert.deepEqual(row, {
        ...{ yes: 1, no: 0, empty: null, safe: 2 ** 53 - 1, half: 0.5 },
        ...{ words: 'h€llo 🙂', bytes },
      });
      const date = new Date(1_700_000_000_123);
      assert.deepEqual(await db.raw('SELECT ? AS at', [date]), [{ at: date.valueOf() }]);
      assert.deepEqual(await db.raw('SELECT 1 AS one WHERE ? = 2', [1]), []);
    });

    test('an integer is bound as an integer, so that text has no decimal point and a quotient none either', async (t) => {
      const db = instance(t);
      const [row] = await db.raw<object[]>(`SELECT typeof(?) AS type, ? || '' AS words, ? / 2 AS half`, [1, 5, 5]);
      assert.deepEqual(row, { type: 'integer', words: '5', half: 2 });
    });

    test('an integer that a number cannot hold is an error without it, and not rounded', async (t) => {
      const db = instance(t);
      const isRefused = (error: Error & { code?: string }): boolean =>
        error.code === 'ERR_OUT_OF_RANGE' && /too large/.test(error.message) && !error.message.includes('740993');
      await assert.rejects(db.raw('SELECT CAST(? AS INTEGER)', ['9007199254740993']), isRefused);
    });

    test('undefined is bound as NULL, a bigint as it is, and an object not as if it were named parameters', async (t) => {
      const db = instance(t);
      const client = db.client as Client;
      const connection = await client.acquireConnection();
      const ask = (value: unknown) => client._query(connection, { sql: 'SELECT ? AS value', bindings: [value] });
      assert.deepEqual((await ask(undefined)).response, [{ value: null }]);
      assert.deepEqual((await ask(-3n)).response, [{ value: -3 }]);
      await assert.rejects(ask({ value: 1 }), TypeError);
      await client.releaseConnection(connection);
    });

    test('the query builder of knex gets ids, numbers of rows and returned rows', async (t) => {
      const db = instance(t);
      await db.schema.createTable('things', (table) => {
        table.increments('id');
        table.string('name').notNullable();
      });
      assert.deepEqual(await db('things').insert({ name: 'a' }), [1]);
      assert.deepEqual(await db('things').insert({ name: 'b' }).returning('id'), [{ id: 2 }]);
      assert.equal(await db('things').where({ id: 1 }).update({ name: 'c' }), 1);
      assert.deepEqual(await db('things').select('name').orderBy('id'), [{ name: 'c' }, { name: 'b' }]);
      assert.deepEqual(await db('things').where({ id: 1 }).first('id'), { id: 1 });
      assert.equal(await db('things').del(), 2);
    });

    test('an error has the name of SQLite’s extended code, and no bound value', async (t) => {
      const db = instance(t);
      await db.raw('PRAGMA foreign_keys = ON');
      await db.raw('CREATE TABLE parents (id INTEGER PRIMARY KEY)');
      await db.raw(`CREATE TABLE children (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE, size INTEGER CHECK (size > 0),
        parent INTEGER REFERENCES parents (id))`);
      const add = (id: number, word: string | null, size: number, parent: number | null): Promise<unknown> =>
        db.raw('INSERT INTO children VALUES (?, ?, ?, ?)', [id, word, size, parent] as Knex.RawBinding[]);
      await add(1, 'a secret', 1, null);
      const cases = [
        [() => add(2, 'a secret', 1, null), 'SQLITE_CONSTRAINT_UNIQUE'],
        [() => add(1, 'another secret', 1, null), 'SQLITE_CONSTRAINT_PRIMARYKEY'],
        [() => add(2, 'another secret', 0, null), 'SQLITE_CONSTRAINT_CHECK'],
        [() => add(2, null, 1, null), 'SQLITE_CONSTRAINT_NOTNULL'],
        [() => add(2, 'another secret', 1, 404), 'SQLITE_CONSTRAINT_FOREIGNKEY'],
        [() => db.raw('SELECT * FROM absent'), 'SQLITE_ERROR'],
      ] as const;
      for (const [run, code] of cases)
        await assert.rejects(run(), (error: Error & { code?: string }) => {
          assert.equal(error.code, code);
          return !error.message.includes('secret');
        });
    });

    test('foreign keys are off until they are turned on, as SQLite has it', async (t) => {
      assert.deepEqual(await instance(t).raw('PRAGMA foreign_keys'), [{ foreign_keys: 0 }]);
    });

    test('a closed connection is SQLITE_MISUSE, which the storage takes for an unavailable database', async (t) => {
      const db = instance(t);
      const client = db.client as Client;
      const connection = await client.acquireConnection();
      connection.close();
      const failure: unknown = await db
        .raw('SELECT 1')
        .connection(connection)
        .catch((error: unknown) => error);
      await client.releaseConnection(connection);
      assert.equal((failure as { code?: string }).code, 'SQLITE_MISUSE');
    });

    test('a connection that only reads makes no file and writes to none', async (t) => {
      const filename = databaseFile(t);
      const isUnopened = (error: { code?: string }): boolean => error.code === 'SQLITE_CANTOPEN';
      await assert.rejects(async () => instance(t, filename, { readOnly: true }).raw('SELECT 1'), isUnopened);
      assert.equal(existsSync(filename), false);
      await instance(t, filename).raw('CREATE TABLE things (id INTEGER)');
      const reader = instance(t, filename, { readOnly: true });
      const isReadOnly = (error: { code?: string }): boolean => error.code === 'SQLITE_READONLY';
      await assert.rejects(async () => reader.raw('INSERT INTO things VALUES (1)'), isReadOnly);
      assert.deepEqual(await reader.raw('SELECT * FROM things'), []);
    });

    test('a statement with a name is prepared once, and follows a change of the schema', async (t) => {
      const db = instance(t);
      await db.raw('CREATE TABLE things (id INTEGER)');
      await db.raw('INSERT INTO things VALUES (1)');
      const client = db.client as Client;
      const connection = await client.acquireConnection();
      let prepared = 0;
      const prepare = connection.prepare.bind(connection);
      connection.prepare = (sql) => ((prepared += 1), prepare(sql));
      const ask = async (sql: string, name?: string): Promise<unknown> => {
        const statement = db.raw(sql).connection(connection);
        return name === undefined ? statement : statement.options({ name });
      };
      assert.deepEqual(await ask('SELECT * FROM things', 'things'), [{ id: 1 }]);
      assert.deepEqual(await ask('SELECT * FROM things', 'things'), [{ id: 1 }]);
      assert.equal(prepared, 1);
      await ask("ALTER TABLE things ADD COLUMN word TEXT DEFAULT 'new'");
      await ask('SELECT id FROM things');
      await ask('SELECT id FROM things');
      assert.equal(prepared, 4);
      assert.deepEqual(await ask('SELECT id, word FROM things', 'words'), [{ id: 1, word: 'new' }]);
      assert.deepEqual(await ask('SELECT count(*) AS count FROM things', 'count'), [{ count: 1 }]);
      await ask('DROP TABLE things');
      await ask('CREATE TABLE things (id INTEGER)');
      assert.deepEqual(await ask('SELECT count(*) AS count FROM things', 'count'), [{ count: 0 }]);
      await client.releaseConnection(connection);
    });

    test('other work of the process goes on between two statements', async (t) => {
      const db = instance(t);
      await db.raw('SELECT 1');
      let turns = 0;
      let running = true;
      const turn = (): void => {
        turns += 1;
        if (running) setImmediate(turn);
      };
      setImmediate(turn);
      for (let n = 0; n < 20; n++) await db.raw('SELECT 1');
      running = false;
      assert.ok(turns >= 20, `${turns} turns`);
    });

    test('a transaction of the same process that holds the lock goes on and ends while another instance waits for it', async (t) => {
      const filename = databaseFile(t);
      const [one, other] = [await opened(t, filename), await opened(t, filename)];
      const { id } = await storedAccount(one);
      let waiting: Promise<unknown> = Promise.resolve();
      await one.transaction(async (tx) => {
        await tx.ledger.append(entry(id, 'first', 1n));
        waiting = other.transaction((second) => second.ledger.append(entry(id, 'second', 2n)));
        // Further statements, in turns of the event loop that the waiting instance leaves.
        for (let n = 0; n < 20; n++) await tx.ledger.append(entry(id, `more ${n}`, 1n));
      });
      await waiting;
      assert.deepEqual(
        (await one.ledger.balances('merchant:')).map(({ units }) => units),
        [23n],
      );
    });

    test('a lock that is held for too long is SQLITE_BUSY', async (t) => {
      const filename = databaseFile(t);
      const [holder, waiter] = [instance(t, filename), instance(t, filename, { busyTimeoutMs: 20 })];
      await holder.raw('BEGIN EXCLUSIVE');
      const isBusy = (error: { code?: string }): boolean => error.code === 'SQLITE_BUSY';
      await assert.rejects(async () => waiter.raw('BEGIN IMMEDIATE'), isBusy);
      await holder.raw('COMMIT');
      await waiter.raw('BEGIN IMMEDIATE');
      await waiter.raw('COMMIT');
    });

    test('a snapshot that is too old for a write is not waited for', { timeout: 10_000 }, async (t) => {
      const filename = databaseFile(t);
      const writer = instance(t, filename);
      await writer.raw('PRAGMA journal_mode = WAL');
      await writer.raw('CREATE TABLE things (id INTEGER)');
      const reader = instance(t, filename, { busyTimeoutMs: 15_000 });
      await reader.raw('BEGIN');
      await reader.raw('SELECT * FROM things');
      await writer.raw('INSERT INTO things VALUES (1)');
      const isStale = (error: { code?: string }): boolean => error.code === 'SQLITE_BUSY_SNAPSHOT';
      await assert.rejects(async () => reader.raw('INSERT INTO things VALUES (2)'), isStale);
    });

    test('a second server on a file is refused at once', async (t) => {
      const config = { client: 'node', filename: databaseFile(t) } as const;
      const lock = await acquireServerLock(config);
      await assert.rejects(acquireServerLock(config), refused('Another server'));
      await lock.release();
      await (await acquireServerLock(config)).release();
    });

    test('of a transaction of a process that was killed between BEGIN IMMEDIATE and COMMIT nothing stays, and its lock goes', async (t) => {
      const filename = databaseFile(t);
      const storage = await opened(t, filename);
      const { id } = await storedAccount(storage);
      const made = await storedOrder(storage, id);
      const module = new URL('../../../adapters/storage/knex/index.ts', import.meta.url).href;
      const script = `import(${JSON.stringify(module)}).then(async (m) => {
        const logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger };
        const storage = await m.openStorage({ client: 'node', filename: ${JSON.stringify(filename)} }, { logger });
        storage.dispatchTo({ dispatch() {}, notify() {} });
        await storage.transaction(async (tx) => {
          await tx.orders.update(${JSON.stringify(made.id)}, { received: 5n, updatedAt: ${NOW + 1} });
          process.stdout.write('written');
          await new Promise(() => setInterval(() => {}, 1000));
        });
      });`;
      const child = spawn(process.execPath, ['--import', 'tsx', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      endWithThisProcess(child);
      await new Promise((resolve) => child.stdout.once('data', resolve));
      assert.equal((await storage.orders.find(made.id))?.received, 0n, 'it is not committed');
      await stopProcess(child, 'SIGKILL');
      assert.deepEqual(await storage.orders.find(made.id), made);
      await storage.transaction((tx) => tx.orders.update(made.id, { received: 7n, updatedAt: NOW + 2 }));
      const restarted = await opened(t, filename);
      assert.equal((await restarted.orders.find(made.id))?.received, 7n);
      assert.deepEqual(await restarted.integrity(), []);
    });

    test('a till in an application takes an order on it', async (t) => {
      const till = await createTillgate({
        database: { url: `sqlite:${databaseFile(t)}`, driver: 'node' },
        mode: 'sandbox',
        plugins: [ethereum()],
        logger: new MemoryLogger(),
      });
      t.after(() => till.close());
      const shop = await till.accounts.create({ email: 'shop@example.com' });
      const made = await till.orders.create({ account: shop.id, price: '12.50', currency: 'EUR' });
      assert.equal((await till.orders.get(made.id)).price, '12.5');
    });
  });
}
