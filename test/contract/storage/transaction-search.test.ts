import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pgDialect } from '../../../adapters/storage/knex/dialects/pg-dialect.ts';
import { sqliteDialect } from '../../../adapters/storage/knex/dialects/sqlite-dialect.ts';
import { transactionSearchSql } from '../../../adapters/storage/knex/stores/chain/transaction-search.ts';
import { tablesOf } from '../../../adapters/storage/knex/tables.ts';
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '../../../core/index.ts';
import type {
  AccountId,
  Storage,
  TransactionPosition,
  TransactionRow,
  TransactionSearch,
} from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { deposit, NOW, storedAccount, storedOrder, transactionRow } from './fixtures.ts';

const EVERYTHING: TransactionSearch = {
  accountId: null,
  types: TRANSACTION_TYPES,
  statuses: TRANSACTION_STATUSES,
  currencies: null,
  from: null,
  to: null,
  traces: null,
  after: null,
  limit: 100,
};
const COINS = ['ETH', 'USDT-ERC20', 'BTC'] as const;
/** Types that are found by the receiving address. */
const SENT: readonly TransactionRow['type'][] = ['WITHDRAW', 'REFUND', 'SWAP'];
type Row = Omit<TransactionRow, 'number'>;

/** Transactions of two accounts of every type, in every status and coin, several in each millisecond. */
async function mixture(storage: Storage): Promise<{ accounts: readonly AccountId[]; rows: readonly Row[] }> {
  const accounts = [(await storedAccount(storage)).id, (await storedAccount(storage)).id];
  const rows: Row[] = [];
  for (let n = 0; n < 90; n++) {
    const order = await storedOrder(storage, accounts[n % 3 === 0 ? 1 : 0] as AccountId);
    rows.push(
      transactionRow(deposit(order), {
        type: TRANSACTION_TYPES[n % 5] ?? 'ORDER',
        status: TRANSACTION_STATUSES[(n >> 1) % 3] ?? 'SUCCESS',
        currency: COINS[(n >> 2) % 3] ?? 'ETH',
        toAddress: SENT.includes(TRANSACTION_TYPES[n % 5] ?? 'ORDER') ? `to-${n % 4}` : `deposit-${n}`,
        txHash: `hash-${n % 30}`,
        at: NOW + Math.floor(n / 5),
      }),
    );
  }
  await storage.transaction(async (tx) => {
    for (const row of rows) await tx.deposits.addTransaction(row);
  });
  return { accounts, rows };
}

const newestFirst = (a: Row, b: Row): number => b.at - a.at || (b.id > a.id ? 1 : -1);
const idsOf = (rows: readonly Row[]): readonly string[] => rows.map(({ id }) => id);

function expected(rows: readonly Row[], search: TransactionSearch, matches: (row: Row) => boolean = () => true) {
  const { accountId, types, statuses, currencies, from, to } = search;
  return idsOf(
    rows
      .filter(
        (row) =>
          matches(row) &&
          (accountId === null || row.accountId === accountId) &&
          types.includes(row.type) &&
          statuses.includes(row.status) &&
          (currencies === null || currencies.includes(row.currency)) &&
          row.at >= (from ?? 0) &&
          row.at < (to ?? Infinity),
      )
      .toSorted(newestFirst),
  );
}

function combinations(accounts: readonly AccountId[]): readonly TransactionSearch[] {
  return [null, accounts[0] ?? null].flatMap((accountId) =>
    [TRANSACTION_TYPES, ['WITHDRAW'] as const].flatMap((types) =>
      [TRANSACTION_STATUSES, ['PENDING'] as const].flatMap((statuses) =>
        [null, ['BTC'], ['ETH', 'USDT-ERC20']].flatMap((currencies) =>
          [
            { from: null, to: null },
            { from: NOW + 4, to: NOW + 11 },
          ].map((range) => ({ ...EVERYTHING, accountId, types, statuses, currencies, ...range })),
        ),
      ),
    ),
  );
}

async function pages({ deposits }: Storage, search: TransactionSearch): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after: TransactionPosition | null = null; ;) {
    const page: readonly TransactionRow[] = await deposits.searchTransactions({ ...search, after });
    found.push(...idsOf(page));
    const last = page.at(-1);
    if (last === undefined) return found;
    after = { createdAt: last.at, id: last.id };
  }
}

const tracesOf = (text: string, currencies: readonly string[] | null): TransactionSearch['traces'] => ({
  text,
  currencies: currencies ?? COINS,
  addresses: [{ chain: 'ETH', address: text }],
  transactions: [
    { chain: 'ETH', txid: text },
    { chain: 'BTC', txid: text },
  ],
});

eachStorage((name, open) => {
  test('fault 214: each combination of filters gives its transactions, newest first, by pages of any size', async (t) => {
    const { storage } = await open(t);
    const { accounts, rows } = await mixture(storage);
    for (const search of combinations(accounts)) {
      const found = idsOf(await storage.deposits.searchTransactions(search));
      assert.deepEqual(found, expected(rows, search));
      assert.deepEqual(await pages(storage, { ...search, limit: 4 }), found);
    }
    // More coins than any till has: more ranges than SQLite accepts in one row.
    const coins = [...COINS, ...Array.from({ length: 60 }, (_, n) => `COIN-${n}`)];
    const many = { ...EVERYTHING, currencies: coins };
    assert.deepEqual(idsOf(await storage.deposits.searchTransactions(many)), expected(rows, many));
  });

  test('a text finds what has it as id, hash, order, reference or address, within the other filters', async (t) => {
    const { storage } = await open(t);
    const { accounts, rows } = await mixture(storage);
    const order = await storedOrder(storage, accounts[0] as AccountId, { merchantReference: 'invoice 7' });
    const paid = transactionRow(deposit(order), { at: NOW + 100 });
    await storage.transaction((tx) => tx.deposits.addTransaction(paid));
    const all = [...rows, paid];
    const sample = rows[7] ?? assert.fail();
    const texts: readonly (readonly [string, (row: Row) => boolean])[] = [
      [sample.id, ({ id }) => id === sample.id],
      [sample.orderId ?? '', ({ orderId }) => orderId === sample.orderId],
      ['hash-3', ({ txHash }) => txHash === 'hash-3'],
      ['to-2', ({ toAddress }) => toAddress === 'to-2'],
      ['invoice 7', ({ id }) => id === paid.id],
      [order.payment?.address ?? '', ({ id }) => id === paid.id],
      ['nothing', () => false],
    ];
    for (const [text, matches] of texts)
      for (const search of combinations(accounts).map((each) => ({
        ...each,
        traces: tracesOf(text, each.currencies),
      }))) {
        const found = idsOf(await storage.deposits.searchTransactions(search));
        assert.deepEqual(found, expected(all, search, matches), text);
        assert.deepEqual(await pages(storage, { ...search, limit: 3 }), found, text);
      }
    assert.deepEqual(await storage.deposits.searchTransactions({ ...EVERYTHING, traces: tracesOf('a\0b', null) }), []);
  });

  test('fault 215: no list of transactions reads the whole table, or sorts more than pages', async (t) => {
    const store = await open(t);
    const { storage, sql } = store;
    const { id } = await storedAccount(storage);
    const order = await storedOrder(storage, id);
    await storage.transaction((tx) => tx.deposits.addTransaction(transactionRow(deposit(order))));
    const numbers =
      name === 'pg'
        ? 'WITH numbers (n) AS (SELECT generate_series(2::bigint, 20000::bigint))'
        : 'WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers LIMIT 19999)';
    await sql(
      `INSERT INTO transactions (id, account_id, number, type, status, order_id, chain, currency, units, obtained, fee, from_address,
         to_address, tx_hash, happened_at) ${numbers}
       SELECT CAST(1600000000000000000 + n AS TEXT), CASE n % 3 WHEN 0 THEN account_id ELSE 'other' END, n,
         CASE n % 4 WHEN 0 THEN 'WITHDRAW' ELSE type END, status, 'order ' || n, chain, currency, units, obtained, fee, from_address,
         CASE n % 40 WHEN 0 THEN to_address ELSE 'to ' || n END, 'hash ' || n, happened_at + n
       FROM numbers CROSS JOIN (SELECT * FROM transactions) AS sample`,
    );
    await sql('ANALYZE');
    const dialect = name === 'pg' ? pgDialect : sqliteDialect;
    const after = { createdAt: NOW + 9_000, id: '1600000000000009000' };
    const searches = combinations([id]).flatMap((each) => [each, { ...each, after }]);
    for (const search of searches.flatMap((each) => [each, { ...each, traces: tracesOf('0xto', each.currencies) }])) {
      const found = transactionSearchSql(tablesOf(''), dialect, { ...search, limit: 21 }) ?? assert.fail();
      const rows = await sql(
        `${name === 'pg' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN'} ${found.sql}`,
        found.bindings as readonly string[],
      );
      const plan = rows.map((row) => String(row['QUERY PLAN'] ?? row['detail'])).join('\n');
      const whole = name === 'pg' ? /Seq Scan on transactions/ : /SCAN transactions/;
      assert.ok(!whole.test(plan), `${JSON.stringify(search)}\n${plan}`);
      const index = search.traces !== null ? /transactions_sent/ : /transactions_(?:listed|coin|all)/;
      assert.match(plan, index);
    }
  });
});
