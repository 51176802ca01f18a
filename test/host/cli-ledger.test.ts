import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import type { SqlStorage } from '../../adapters/storage/knex/index.ts';
import { monthAt } from '../../adapters/storage/knex/stores/ledger/posting-months.ts';
import { entry, storedAccount } from '../contract/storage/fixtures.ts';
import { freshDatabase } from '../support/postgres.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { silentLogger, openStorageAlone } from '../support/storage.ts';
import { freshDirectory, run } from './till-process.ts';

const month = (later: number): ReturnType<typeof monthAt> => monthAt(Date.now(), later);
const tableName = (name: string): string => `ledger_postings_${name.replace('-', '_')}`;

interface Closed {
  readonly month: string;
  readonly table: string;
  readonly hash: string;
}

describe('closing months at the command line', () => {
  const [directory, lite] = [freshDirectory(), freshDirectory()];
  let database: FreshDatabase;
  let storage: SqlStorage;
  before(async () => {
    database = await freshDatabase();
    directory.write('tillgate.config.json', { mode: 'sandbox', database: { client: 'pg', connection: database.url } });
    lite.write('tillgate.config.json', { mode: 'sandbox' });
    storage = await openStorageAlone({ client: 'pg', connection: database.url }, { logger: silentLogger });
    await storage.migrate();
    await olderMonths(database.url);
    for (const later of [-2, -4]) await storage.ledger.makePostingMonths(month(later).from);
    const { id } = await storedAccount(storage);
    for (const later of [-4, -3, -2, 0])
      await storage.transaction((tx) =>
        tx.ledger.append(entry(id, `in ${month(later).name}`, 5n, { at: month(later).from })),
      );
  });
  after(async () => {
    await storage.close();
    await database.drop();
    directory.remove();
    lite.remove();
  });

  const ledger = (...args: readonly string[]) => run(directory.path, ['ledger', ...args]);

  test('closes what is old, says how it is kept elsewhere, and opens the newest again', async () => {
    const bound = month(-2).name;
    const [first, second] = [month(-4).name, month(-3).name];
    const closed = await ledger('close', '--before', bound);
    assert.equal(closed.code, 0, closed.err);
    for (const name of [first, second]) {
      const table = tableName(name);
      assert.match(
        closed.out,
        new RegExp(`${name} is closed: 2 postings are in the table ${table}\\. Hash: [0-9a-f]{64}`),
      );
      assert.match(closed.out, new RegExp(`pg_dump --format=custom --table=${table} `));
    }
    const again = await run(directory.path, ['ledger', 'close', '--before', bound, '--json']);
    const { closed: none, closings } = JSON.parse(again.out) as { closed: Closed[]; closings: Closed[] };
    assert.deepEqual(
      [none, closings.map((each) => [each.month, each.table])],
      [
        [],
        [
          [first, tableName(first)],
          [second, tableName(second)],
        ],
      ],
    );
    assert.match((await ledger('close', '--before', bound)).out, new RegExp(`There is no open month before ${bound}`));
    assert.equal((await ledger('check', '--full')).code, 0);
    const opened = await run(directory.path, ['ledger', 'reopen', '--month', second]);
    assert.match(opened.out, new RegExp(`${second} is open again: 2 postings`));
    assert.equal((await ledger('check', '--full')).code, 0);
    const noted = (await storage.audit.links(0, 10)).map(({ entry: each }) => each);
    assert.equal(noted.length, 3);
    assert.match(noted.join('\n'), /ledger\.close[^]*ledger\.close[^]*ledger\.reopen/);
  });

  test('says what is wrong with what was asked for', async () => {
    const young = await ledger('close', '--before', month(0).name);
    assert.equal(young.code, 1);
    assert.match(young.err, /--before: must have begun 35 days ago/);
    const missing = await ledger('close');
    assert.notEqual(missing.code, 0);
    assert.match(missing.err, /--before/);
    const older = await ledger('reopen', '--month', month(-9).name);
    assert.equal(older.code, 1);
    assert.match(older.err, new RegExp(`open ${month(-4).name} first`));
    const refused = await run(lite.path, ['ledger', 'close', '--before', '2020-01']);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /PostgreSQL only/);
  });
});

/** A database of today has one table for all months so far: this one was made years ago. */
async function olderMonths(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`ALTER TABLE ledger_postings DETACH PARTITION ${tableName(month(0).name)}`);
  await client.query(`DROP TABLE ${tableName(month(0).name)}`);
  await client.end();
}
