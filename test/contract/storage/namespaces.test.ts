import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import knex, { type Knex } from 'knex';
import type { SqlStorage, StorageDeps } from '../../../adapters/storage/knex/index.ts';
import { describeStorage } from '../../../adapters/testing/index.ts';
import { isTillgateError } from '../../../core/index.ts';
import { freshDatabase } from '../../support/postgres.ts';
import { openStorageAlone, silentLogger, sqliteSettings } from '../../support/storage.ts';
import type { EngineName } from '../../support/storage.ts';
import { waitFor } from '../../support/wait.ts';
import { newOrder, nextId, NOW, storedAccount, storedOrder } from './fixtures.ts';

type Place = Pick<StorageDeps, 'tablePrefix' | 'schema'>;

/** An application's own database, its knex instance, and tills in it. */
interface Application {
  readonly db: Knex;
  till(place: Place): Promise<SqlStorage>;
  close(): Promise<void>;
}

type OwnDatabase = Promise<{ db: Knex; remove: () => Promise<void> }>;

async function ownFile(): OwnDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-namespaces-'));
  const db = knex(sqliteSettings(join(folder, 'app.db')));
  return { db, remove: async () => rmSync(folder, { recursive: true, force: true }) };
}

const OWN: Readonly<Record<EngineName, () => OwnDatabase>> = {
  memory: ownFile,
  sqlite: ownFile,
  pg: async () => {
    const { url, drop } = await freshDatabase();
    // The test's cluster does not flush to disk, and a till refuses such connections.
    const connection = { connectionString: url, options: '-c synchronous_commit=on' };
    return { db: knex({ client: 'pg', connection, pool: { min: 0, max: 6 } }), remove: drop };
  },
};

async function application(engine: EngineName): Promise<Application> {
  const { db, remove } = await OWN[engine]();
  const tills: SqlStorage[] = [];
  return {
    db,
    till: async (place) => {
      const storage = await openStorageAlone({ knex: db }, { logger: silentLogger, guardNesting: true, ...place });
      tills.push(storage);
      await storage.migrate();
      return storage;
    },
    close: async () => {
      await Promise.all(tills.map((till) => till.close()));
      await db.destroy();
      await remove();
    },
  };
}

async function opened(engine: EngineName, t: TestContext): Promise<Application> {
  const app = await application(engine);
  t.after(() => app.close());
  return app;
}

const PLACES: readonly (readonly [EngineName, Place])[] = [
  ['sqlite', { tablePrefix: 'till_' }],
  ['pg', { tablePrefix: 'till_' }],
  ['pg', { schema: 'till' }],
  ['pg', { schema: 'money', tablePrefix: 'till_' }],
];

for (const [engine, place] of PLACES) {
  describeStorage(`${engine}, an application's knex, ${JSON.stringify(place)}`, async () => {
    const app = await application(engine);
    return { storage: await app.till(place), another: () => app.till(place), close: () => app.close() };
  });
}

const PAIRS: readonly (readonly [EngineName, Place, Place])[] = [
  ['sqlite', { tablePrefix: 'a_' }, { tablePrefix: 'b_' }],
  ['pg', { tablePrefix: 'a_' }, { tablePrefix: 'b_' }],
  ['pg', { schema: 'a' }, { schema: 'b' }],
  ['pg', {}, { schema: 'b' }],
];

for (const [engine, first, second] of PAIRS) {
  test(`${engine}: tills at ${JSON.stringify(first)} and ${JSON.stringify(second)} share one knex and see nothing of each other`, async (t) => {
    const { db, till } = await opened(engine, t);
    await db.schema.createTable('orders_of_the_shop', (table) => table.increments());
    const [a, b] = [await till(first), await till(second)];
    const mine = await storedAccount(a, { email: 'same@example.com' });
    const theirs = await storedAccount(b, { email: 'same@example.com' });
    const orders = await Promise.all([storedOrder(a, mine.id), storedOrder(b, theirs.id), storedOrder(a, mine.id)]);
    assert.deepEqual(orders.map(({ number }) => number).sort(), [1, 1, 2]);
    assert.equal(await b.orders.find(orders[0].id), null);
    assert.deepEqual(await a.orders.find(orders[0].id), orders[0]);
    // Each of them has the rules.
    const illegal = (each: SqlStorage, { id }: { id: (typeof orders)[0]['id'] }): Promise<unknown> =>
      each.transaction((tx) => tx.orders.move(id, 'PENDING', 'REFUNDED', { updatedAt: NOW }));
    await assert.rejects(illegal(a, orders[0]), /illegal change of status/);
    await assert.rejects(illegal(b, orders[1]), /illegal change of status/);
    await Promise.all([a.migrate(), b.migrate()]);
    await a.close();
    await b.close();
    await db('orders_of_the_shop').insert({});
    assert.equal((await db('orders_of_the_shop').select()).length, 1, 'the instance stays the application’s');
  });
}

describe('a schema of PostgreSQL', () => {
  test('holds every table, index, trigger and function; the application’s own search path is as before', async (t) => {
    const { db, till } = await opened('pg', t);
    await till({ schema: 'till' });
    const rows = async (sql: string): Promise<unknown[]> => (await db.raw<{ rows: unknown[] }>(sql)).rows;
    const outside =
      await rows(`SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE n.nspname = 'public'
      UNION ALL SELECT proname FROM pg_proc JOIN pg_namespace n ON n.oid = pronamespace WHERE n.nspname = 'public'`);
    assert.deepEqual(outside, []);
    const inside = (await rows(
      `SELECT count(*)::int AS count FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE n.nspname = 'till' AND relkind = 'r'`,
    )) as [{ count: number }];
    assert.ok(inside[0].count > 30);
    assert.deepEqual(await rows('SHOW search_path'), [{ search_path: '"$user", public' }]);
  });

  test('is used by a role that may not make one', async (t) => {
    const { db } = await opened('pg', t);
    const role = `clerk_${nextId()}`;
    await db.raw(`CREATE ROLE ${role} LOGIN PASSWORD 'clerk'`);
    await db.raw(`CREATE SCHEMA till AUTHORIZATION ${role}`);
    const url = new URL(
      (db.client as { config: { connection: { connectionString: string } } }).config.connection.connectionString,
    );
    url.username = role;
    url.password = 'clerk';
    const storage = await openStorageAlone(
      { client: 'pg', connection: url.href },
      { logger: silentLogger, schema: 'till' },
    );
    try {
      await storage.migrate();
      await storedOrder(storage, (await storedAccount(storage)).id);
      const {
        rows: [row],
      } = await db.raw<{ rows: { may: boolean }[] }>(
        `SELECT has_database_privilege('${role}', current_database(), 'CREATE') AS may`,
      );
      assert.equal(row?.may, false);
    } finally {
      await storage.close();
      await db.raw(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  test('has its own notifications', async (t) => {
    const { till } = await opened('pg', t);
    const [a, other, b] = [await till({ schema: 'a' }), await till({ schema: 'a' }), await till({ schema: 'b' })];
    const heard = { a: 0, b: 0 };
    a.feed.onNotification(() => void (heard.a += 1));
    b.feed.onNotification(() => void (heard.b += 1));
    await waitFor(() => a.feed.pollMs === 1000 && b.feed.pollMs === 1000);
    const before = { ...heard };
    const { id } = await storedAccount(other);
    await other.accounts.update(id, { status: 'disabled', modifiedAt: NOW });
    await waitFor(() => heard.a > before.a);
    // Every notification to b comes after that to a: one server, one order.
    const { id: known } = await storedAccount(b);
    await b.accounts.update(known, { status: 'disabled', modifiedAt: NOW });
    await waitFor(() => heard.b > before.b);
    assert.ok(heard.b - before.b <= 2, 'once by itself and once by its own notification');
  });

  test('two instances that start at once make it once', async (t) => {
    const { till } = await opened('pg', t);
    const tills = await Promise.all([1, 2, 3].map(() => till({ schema: 'till' })));
    const { id } = await storedAccount(tills[0]!);
    const made = await Promise.all(tills.map((each) => each.orders.create(newOrder(id))));
    assert.equal(made.length, 3);
  });

  test('a name that is not plain is refused, and so is a schema on SQLite', async (t) => {
    const { till } = await opened('pg', t);
    const refused = (error: unknown): boolean => isTillgateError(error, 'CONFIG_INVALID');
    for (const schema of ['Till', 'a b', 'a"; --', 'pg_till', '', '1st', 'a'.repeat(24)])
      await assert.rejects(till({ schema }), refused, schema);
    await assert.rejects((await opened('sqlite', t)).till({ schema: 'till' }), refused);
  });
});
