import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monthAt } from '../../../adapters/storage/knex/stores/ledger/posting-months.ts';
import { checkLedger, DAY_MS } from '../../../core/index.ts';
import type { AccountId, Millis, PostingSearch, Storage } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import type { TestStorage } from '../../support/storage.ts';
import { entry, NOW, storedAccount } from './fixtures.ts';

const LISTED: PostingSearch = { accountId: null, from: null, to: null, after: null, limit: 100 };
/** The tables of a new database begin with the present month. */
const month = (later: number): ReturnType<typeof monthAt> => monthAt(Date.now(), later);

async function book(storage: Storage, account: AccountId, at: Millis, units = 5n): Promise<void> {
  await storage.transaction((tx) => tx.ledger.append(entry(account, `at ${at}`, units, { at })));
}

/** The table with the postings of a time. */
async function tableOf({ sql }: TestStorage, at: Millis): Promise<string> {
  const [row] = await sql('SELECT DISTINCT tableoid::regclass::text AS name FROM ledger_postings WHERE booked_at = ?', [
    at,
  ]);
  return String(row?.['name']);
}

const tableName = (name: string): string => `ledger_postings_${name.replace('-', '_')}`;

eachStorage((name, open) => {
  test('entries at both sides of the end of a month are listed in one order, and checked', async (t) => {
    const { storage } = await open(t);
    const { id } = await storedAccount(storage);
    const times = [NOW, month(1).from - 1, month(1).from, month(2).from - 1, month(2).from, month(2).until];
    for (const at of times) await book(storage, id, at);
    const found = await storage.ledger.postings({ ...LISTED, accountId: id });
    assert.deepEqual(
      found.map(({ position }) => position.createdAt),
      times.toReversed(),
    );
    assert.deepEqual(await checkLedger(storage), []);
  });

  if (name !== 'pg') return;

  test('fault 324: nobody changes or removes a posting by the name of its month, a new one or one of the rest', async (t) => {
    const store = await open(t);
    const { storage, sql } = store;
    const { id } = await storedAccount(storage);
    await storage.ledger.makePostingMonths(month(3).from);
    const times = [NOW, month(2).from, month(4).from, month(9).from];
    for (const at of times) await book(storage, id, at);
    const tables = ['ledger_postings', ...(await Promise.all(times.map((at) => tableOf(store, at))))];
    assert.equal(new Set(tables).size, 5, tables.join());
    for (const table of tables)
      for (const statement of [`UPDATE ${table} SET units = 0`, `DELETE FROM ${table}`, `TRUNCATE ${table}`])
        await assert.rejects(sql(statement), /ledger_postings is append-only/, statement);
  });

  test('fault 327: a credit by a clock that is years off is booked, counts, and hinders no month but its own', async (t) => {
    const store = await open(t);
    const { storage } = store;
    const { id } = await storedAccount(storage);
    for (const at of [1, month(4).from + DAY_MS, month(40).from]) await book(storage, id, at);
    assert.deepEqual(
      [await tableOf(store, month(4).from + DAY_MS), await tableOf(store, month(40).from)],
      ['ledger_postings_rest', 'ledger_postings_rest'],
    );
    assert.deepEqual(await storage.ledger.makePostingMonths(month(3).from), [month(4).name]);
    await book(storage, id, month(5).from);
    await book(storage, id, month(4).from);
    assert.equal(await tableOf(store, month(5).from), tableName(month(5).name));
    assert.equal(await tableOf(store, month(4).from), 'ledger_postings_rest');
    assert.deepEqual(await checkLedger(storage), []);
    assert.equal((await storage.ledger.postings(LISTED)).length, 10);
  });

  test('several instances make the months that are missing, once', async (t) => {
    const { storage, another, sql } = await open(t);
    const all = [storage, ...(await Promise.all([another(), another(), another()]))];
    await Promise.all(all.map((each) => each.ledger.makePostingMonths(month(6).from)));
    await storage.ledger.makePostingMonths(month(6).from);
    const rows = await sql(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'ledger_postings'::regclass ORDER BY 1`,
    );
    const expected = [0, 1, 2, 6, 7, 8].map((later) => tableName(month(later).name));
    assert.deepEqual(
      rows.map(({ name: table }) => table),
      [...expected, 'ledger_postings_rest'],
    );
  });

  test('the first month of a new database holds what is older too, and nothing in it is changed', async (t) => {
    const { storage, sql } = await open(t);
    const { id } = await storedAccount(storage);
    await book(storage, id, month(-3).from);
    const [first] = await sql(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'ledger_postings'::regclass ORDER BY 1`,
    );
    const table = String(first?.['name']);
    const [count] = await sql(`SELECT count(*)::int AS inside FROM ${table}`);
    assert.equal(count?.['inside'], 2);
    await assert.rejects(sql(`DELETE FROM ${table}`), /append-only/);
    await assert.rejects(sql(`INSERT INTO ${table} SELECT * FROM ${table}`), /duplicate key/);
  });
});
