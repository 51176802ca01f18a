import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachStorage } from '../../support/each-storage.ts';
import type { TestStorage } from '../../support/storage.ts';
import { claim, newOrder, storedAccount } from './fixtures.ts';

/** What a new order is stored in. */
const TABLES = ['orders', 'order_addresses', 'idempotency_claims'] as const;
/** The entries of all indexes that these rows have. Each costs the database as much as a fifth of what the rows themselves cost. */
const MOST_ENTRIES = 14;

interface Index {
  readonly name: string;
  readonly table: string;
  /** The condition of a partial index. */
  readonly condition: string;
}

/** The indexes of a table, with those of its keys. */
async function indexesOf({ engine, sql }: TestStorage, table: string): Promise<readonly Index[]> {
  const text =
    engine === 'pg'
      ? `SELECT indexrelid::regclass::text AS name, coalesce(pg_get_expr(indpred, indrelid), 'true') AS condition
         FROM pg_index WHERE indrelid = '${table}'::regclass`
      : `SELECT l.name, coalesce(substr(m.sql, nullif(instr(m.sql, ' WHERE '), 0) + 7), 'true') AS condition
         FROM pragma_index_list('${table}') l JOIN sqlite_master m ON m.name = l.name`;
  return (await sql(text)).map(({ name, condition }) => ({
    name: String(name),
    table,
    condition: String(condition),
  }));
}

eachStorage((_engine, open) => {
  test(`a new order writes three rows and at most ${MOST_ENTRIES} index entries`, async (t) => {
    const store = await open(t);
    const { id } = await storedAccount(store.storage);
    await store.storage.orders.create(newOrder(id, {}, claim('the only one')));
    const entries: string[] = [];
    for (const table of TABLES) {
      const [count] = await store.sql(`SELECT count(*) AS rows FROM ${table}`);
      assert.equal(Number(count?.['rows']), 1, table);
      for (const { name, condition } of await indexesOf(store, table)) {
        const [found] = await store.sql(`SELECT count(*) AS entries FROM ${table} WHERE ${condition}`);
        if (Number(found?.['entries']) > 0) entries.push(name);
      }
    }
    assert.ok(entries.length <= MOST_ENTRIES, `${entries.length} entries: ${entries.join(', ')}`);
  });
});
