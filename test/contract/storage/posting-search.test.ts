import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postingSearchSql } from '../../../adapters/storage/knex/stores/ledger/posting-search.ts';
import { monthAt } from '../../../adapters/storage/knex/stores/ledger/posting-months.ts';
import { tablesOf } from '../../../adapters/storage/knex/tables.ts';
import type { AccountId, BookedPosting, EntryId, PostingSearch, Storage } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import type { TestStorage } from '../../support/storage.ts';
import { entry, NOW, storedAccount } from './fixtures.ts';

const EVERYTHING: PostingSearch = { accountId: null, from: null, to: null, after: null, limit: 1_000 };

/** Entries of two accounts, several in each millisecond, between all parts of a balance. */
async function mixture(storage: Storage): Promise<readonly AccountId[]> {
  const accounts = [(await storedAccount(storage)).id, (await storedAccount(storage)).id];
  for (let n = 0; n < 40; n++) {
    const owner = accounts[n % 3 === 0 ? 1 : 0] as AccountId;
    const credit = entry(owner, `credit:${n}`, BigInt(n + 10), { at: NOW + Math.floor(n / 3) });
    await storage.transaction((tx) => tx.ledger.append(credit));
    const moved = [
      { account: `merchant:${owner}:pending`, currency: 'USDT-ERC20', units: -7n },
      { account: `merchant:${owner}:${n % 2 === 0 ? 'available' : 'reserved'}`, currency: 'USDT-ERC20', units: 7n },
    ] as const;
    const move = entry(owner, `move:${n}`, 0n, {
      at: NOW + Math.floor(n / 4),
      kind: 'deposit-matured',
      postings: moved,
    });
    await storage.transaction((tx) => tx.ledger.append(move));
  }
  return accounts;
}

async function pages(storage: Storage, search: PostingSearch): Promise<readonly BookedPosting[]> {
  const found: BookedPosting[] = [];
  for (;;) {
    const page = await storage.ledger.postings({ ...search, after: found.at(-1)?.position ?? null });
    if (page.length === 0) return found;
    found.push(...page);
  }
}

const newestFirst = ({ position: a }: BookedPosting, { position: b }: BookedPosting): number =>
  b.createdAt - a.createdAt || (a.id === b.id ? b.line - a.line : b.id > a.id ? 1 : -1);

function combinations(accounts: readonly AccountId[]): readonly PostingSearch[] {
  return [null, ...accounts].flatMap((accountId) =>
    [
      [null, null],
      [NOW + 3, null],
      [NOW + 3, NOW + 7],
    ].map(([from = null, to = null]) => ({ ...EVERYTHING, accountId, from, to })),
  );
}

eachStorage((name, open) => {
  test('a search has every posting of its accounts in its time, newest first, on whatever pages', async (t) => {
    const { storage } = await open(t);
    const accounts = await mixture(storage);
    const all = await storage.ledger.postings(EVERYTHING);
    assert.equal(all.length, 160);
    assert.deepEqual(all, all.toSorted(newestFirst));
    for (const search of combinations(accounts)) {
      const { accountId, from, to } = search;
      const expected: readonly BookedPosting[] = all.filter(
        ({ account, position: { createdAt } }) =>
          (accountId === null || account.startsWith(`merchant:${accountId}:`)) &&
          createdAt >= (from ?? 0) &&
          createdAt < (to ?? Infinity),
      );
      assert.deepEqual(await storage.ledger.postings(search), expected);
      assert.deepEqual(await pages(storage, { ...search, limit: 3 }), expected);
    }
    const [first] = (await storage.ledger.postings(EVERYTHING)).filter(({ kind }) => kind === 'deposit-matured');
    assert.match(first?.reference ?? '', /^move:\d+$/);
  });

  test('fault 169: no list of postings reads the whole table, or sorts more than a page', async (t) => {
    const store = await open(t);
    const { id } = await storedAccount(store.storage);
    await store.storage.transaction((tx) => tx.ledger.append(entry(id, 'the first', 5n)));
    await multiply(store, 20_000);
    const after = { createdAt: NOW + 9_000, id: '1600000000000009000' as EntryId, line: 1 };
    for (const search of combinations([id]).flatMap((each) => [each, { ...each, after }])) {
      const { sql, bindings } = postingSearchSql(tablesOf(''), { ...search, limit: 21 });
      const rows = await store.sql(
        `${name === 'pg' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN'} ${sql}`,
        bindings as readonly string[],
      );
      const plan = rows.map((row) => String(row['QUERY PLAN'] ?? row['detail'])).join('\n');
      // A partition without rows of the page costs nothing.
      const whole = name === 'pg' ? /Seq Scan on ledger_\w+ \w* *\(cost=0\.00\.\.(?!0\.00)/ : /SCAN (?:e|ledger_\w+)$/m;
      assert.ok(!whole.test(plan), `${JSON.stringify(search)}\n${plan}`);
      assert.match(plan, search.accountId === null ? /ledger_postings_all/ : /ledger_postings_listed/);
      // Only pages are sorted, never all rows within a bound.
      if (name === 'pg') {
        const sorted = [...plan.matchAll(/Sort {2}\(cost=\S+ rows=(\d+)/g)].map(([, count]) => Number(count));
        assert.ok(Math.max(0, ...sorted) <= 3 * 21, plan);
      } else assert.ok(!/INDEX ledger_\w+ [^\n]*\n\s*USE TEMP B-TREE/.test(plan), plan);
    }
  });
});

/** Copies the stored entry many times for ten accounts, up to this month and in the next two. */
async function multiply({ sql, engine }: TestStorage, count: number): Promise<void> {
  const numbers =
    engine === 'pg'
      ? `WITH numbers (n) AS (SELECT generate_series(2::bigint, ${count}::bigint))`
      : `WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers LIMIT ${count - 1})`;
  const id = 'CAST(1600000000000000000 + n AS TEXT)';
  const [next, second] = [1, 2].map((later) => monthAt(Date.now(), later).from);
  const at = `CASE n % 3 WHEN 0 THEN booked_at WHEN 1 THEN ${next} ELSE ${second} END + n`;
  await sql(
    `INSERT INTO ledger_entries (id, booked_at, kind, reference) ${numbers}
     SELECT ${id}, ${at}, kind, 'copy:' || n FROM numbers CROSS JOIN (SELECT * FROM ledger_entries) AS sample`,
  );
  await sql(
    `INSERT INTO ledger_postings (entry_id, line, account, currency, units, booked_at) ${numbers}
     SELECT ${id}, line, CASE n % 10 WHEN 0 THEN account ELSE account || (n % 10) END, currency, units, ${at}
     FROM numbers CROSS JOIN (SELECT * FROM ledger_postings) AS sample`,
  );
  await sql('ANALYZE');
}
