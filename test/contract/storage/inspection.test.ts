import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectDatabase } from '../../../adapters/storage/knex/index.ts';
import type { DatabaseFacts } from '../../../adapters/storage/knex/index.ts';
import { openReadOnly } from '../../../adapters/storage/knex/inspection/read-only.ts';
import type { InspectedDatabase } from '../../../adapters/storage/knex/inspection/read-only.ts';
import { DAY_MS } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { silentLogger } from '../../support/storage.ts';
import type { TestStorage } from '../../support/storage.ts';

function placeOf({ config }: TestStorage): InspectedDatabase {
  assert.ok('client' in config, 'a database in memory has one connection');
  return config;
}

async function factsOf(opened: TestStorage): Promise<DatabaseFacts> {
  const facts = await inspectDatabase(placeOf(opened), silentLogger);
  assert.ok(!('unknown' in facts), JSON.stringify(facts));
  return facts;
}

eachStorage((name, open) => {
  test('fault 288: a connection for looking writes nothing, makes nothing and changes no mode', async (t) => {
    const opened = await open(t);
    const database = openReadOnly(placeOf(opened), silentLogger);
    t.after(() => database.close());
    for (const statement of [
      `INSERT INTO documents (document_key, value, version) VALUES ('a', 'b', 1)`,
      'DELETE FROM schema_migrations',
      'CREATE TABLE anything (id INTEGER)',
    ])
      await assert.rejects(database.write(statement), statement);
    assert.deepEqual(await opened.sql('SELECT * FROM documents'), []);
  });

  test('rows are counted up to 100,000, and guessed beyond', async (t) => {
    const opened = await open(t);
    const add = (from: number, to: number): Promise<unknown> =>
      opened.sql(
        `INSERT INTO documents (document_key, value, version)
         WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to}) SELECT 'k' || i, 'v', 1 FROM n`,
      );
    const documents = async () => {
      const found = (await factsOf(opened)).tables.find(({ table }) => table === 'documents');
      assert.ok(found !== undefined && !('unknown' in found));
      return found;
    };
    await add(1, 100_000);
    assert.deepEqual(
      { ...(await documents()), bytes: 0 },
      { table: 'documents', rows: 100_000, exact: true, bytes: 0 },
    );
    await add(100_001, 120_000);
    if (name === 'pg') await opened.sql('ANALYZE documents');
    const many = await documents();
    assert.equal(many.exact, false);
    assert.ok(Math.abs(many.rows - 120_000) < 12_000, String(many.rows));
    assert.equal(many.bytes === null, name === 'sqlite');
  });

  test('a table that is gone hides what is in it and nothing else', async (t) => {
    const opened = await open(t);
    await opened.sql('DROP TABLE alerts');
    const { openAlerts, tables, transfers, migrations } = await factsOf(opened);
    const code = name === 'pg' ? '42P01' : 'SQLITE_ERROR';
    assert.deepEqual(openAlerts, { unknown: code });
    assert.deepEqual(
      tables.filter((each) => 'unknown' in each),
      [{ unknown: code, table: 'alerts' }],
    );
    assert.deepEqual(transfers, []);
    assert.ok(!('unknown' in migrations) && migrations.missing.length === 0);
  });

  test('says how far a chain has been read, and how old what waits is', async (t) => {
    const opened = await open(t);
    const now = Date.now();
    await opened.sql(
      'INSERT INTO chain_states (chain, identity, cursor_height, cursor_hash, cursor_parent_hash, cursor_time, caught_up_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ['ETH', 'eip155:1/0xabc', 7, 'h', 'p', now - 60_000, now - 60_000],
    );
    for (const [id, at, status] of [
      ['1', now - 1000, 'REQUESTED'],
      ['2', now - 3 * DAY_MS, 'HELD'],
      ['3', now - 90 * DAY_MS, 'CONFIRMED'],
    ] as const)
      await opened.sql(
        `INSERT INTO transfers (id, kind, chain, currency, units, fee_units, max_fee_units, source_address, to_address, status, created_at, updated_at)
         VALUES (?, 'sweep', 'ETH', 'ETH', '1', '0', '0', ?, 'b', ?, ?, ?)`,
        [id, id, status, at, at],
      );
    const { chains, transfers, waiting } = await factsOf(opened);
    assert.ok(!('unknown' in chains) && !('unknown' in transfers) && !('unknown' in waiting));
    assert.deepEqual(
      chains.map(({ chain, cursorHeight, halted }) => [chain, cursorHeight, halted]),
      [['ETH', 7, false]],
    );
    assert.ok(Math.abs((chains[0]?.lagSeconds ?? 0) - 60) < 30, String(chains[0]?.lagSeconds));
    assert.deepEqual(
      transfers.map(({ status, age, count }) => [status, age, count]),
      [
        ['CONFIRMED', 'older', 1],
        ['HELD', 'week', 1],
        ['REQUESTED', 'day', 1],
      ],
    );
    assert.equal(waiting.oldestTransferAt, now - 3 * DAY_MS);
  });
});
