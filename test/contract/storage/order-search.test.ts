import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pgDialect } from '../../../adapters/storage/knex/dialects/pg-dialect.ts';
import { sqliteDialect } from '../../../adapters/storage/knex/dialects/sqlite-dialect.ts';
import { orderSearchSql } from '../../../adapters/storage/knex/stores/orders/order-search.ts';
import { tablesOf } from '../../../adapters/storage/knex/tables.ts';
import { ORDER_STATUSES } from '../../../core/index.ts';
import type { AccountId, Order, OrderId, OrderPosition, OrderSearch, Storage } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import type { TestStorage } from '../../support/storage.ts';
import { deposit, NOW, rate, storedAccount, storedOrder } from './fixtures.ts';

const EVERYTHING: OrderSearch = {
  accountId: null,
  statuses: ORDER_STATUSES,
  currencies: null,
  from: null,
  to: null,
  traces: null,
  linkId: null,
  after: null,
  limit: 100,
};
const COINS = [null, 'ETH', 'USDT-ERC20', 'BTC'] as const;

/** Orders of two accounts in every status and coin, several in each millisecond. */
async function mixture(storage: Storage): Promise<{ accounts: readonly AccountId[]; orders: readonly Order[] }> {
  const accounts = [(await storedAccount(storage)).id, (await storedAccount(storage)).id];
  const orders: Order[] = [];
  for (let n = 0; n < 84; n++) {
    const currency = COINS[n % 4] ?? null;
    const chain = currency === 'BTC' ? 'BTC' : 'ETH';
    const payment =
      currency === null ? null : { chain, currency, units: 5n, address: `address-${n}`, rate, chosenAt: NOW };
    const status = ORDER_STATUSES[n % 7] ?? 'PENDING';
    const accountId = accounts[n % 3 === 0 ? 1 : 0] as AccountId;
    orders.push(await storedOrder(storage, accountId, { payment, status, createdAt: NOW + Math.floor(n / 5) }));
  }
  return { accounts, orders };
}

const newestFirst = (a: Order, b: Order): number => b.createdAt - a.createdAt || (b.id > a.id ? 1 : -1);
const idsOf = (orders: readonly Order[]): readonly OrderId[] => orders.map(({ id }) => id);

function expected(orders: readonly Order[], search: OrderSearch): readonly OrderId[] {
  const { accountId, statuses, currencies, from, to } = search;
  return idsOf(
    orders
      .filter(
        (order) =>
          (accountId === null || order.accountId === accountId) &&
          statuses.includes(order.status) &&
          (currencies === null || currencies.includes(order.payment?.currency ?? '')) &&
          order.createdAt >= (from ?? 0) &&
          order.createdAt < (to ?? Infinity),
      )
      .toSorted(newestFirst),
  );
}

function combinations(accounts: readonly AccountId[]): readonly OrderSearch[] {
  const all: OrderSearch[] = [];
  for (const accountId of [null, ...accounts])
    for (const statuses of [ORDER_STATUSES, ['OVERDUE'] as const])
      for (const currencies of [null, ['BTC'], ['ETH', 'USDT-ERC20']])
        for (const [from, to] of [
          [null, null],
          [NOW + 3, NOW + 11],
        ] as const)
          all.push({ ...EVERYTHING, accountId, statuses, currencies, from, to });
  return all;
}

/** Every page of a list. */
async function pages(storage: Storage, search: OrderSearch): Promise<readonly OrderId[]> {
  const found: Order[] = [];
  for (let after: OrderPosition | null = null; ;) {
    const page = await storage.orders.search({ ...search, after });
    found.push(...page);
    const last = page.at(-1);
    if (last === undefined) return idsOf(found);
    after = { createdAt: last.createdAt, id: last.id };
  }
}

/** The database's plan of a statement, as one text. */
async function planOf({ engine, sql }: TestStorage, search: OrderSearch): Promise<string> {
  const pg = engine === 'pg';
  const tables = tablesOf('');
  const statement = orderSearchSql(tables, pg ? pgDialect : sqliteDialect, search);
  assert.ok(statement);
  const explain = pg ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN';
  const rows = await sql(`${explain} ${statement.sql}`, statement.bindings as string[]);
  return rows.map((row) => String(row['QUERY PLAN'] ?? row['detail'])).join('\n');
}

eachStorage((name, open) => {
  test('a search has what its filters say, newest first, whatever they are', async (t) => {
    const { storage } = await open(t);
    const { accounts, orders } = await mixture(storage);
    for (const search of combinations(accounts)) {
      const words = JSON.stringify(search);
      assert.deepEqual(idsOf(await storage.orders.search(search)), expected(orders, search), words);
      assert.deepEqual(await pages(storage, { ...search, limit: 4 }), expected(orders, search), words);
    }
  });

  test('an order that is created between two pages moves neither', async (t) => {
    const { storage } = await open(t);
    const { accounts, orders } = await mixture(storage);
    const search = { ...EVERYTHING, accountId: accounts[0] as AccountId, limit: 5 };
    const first = await storage.orders.search(search);
    await storedOrder(storage, accounts[0] as AccountId, { createdAt: NOW + 99 });
    const last = first.at(-1);
    assert.ok(last);
    const second = await storage.orders.search({ ...search, after: { createdAt: last.createdAt, id: last.id } });
    assert.deepEqual(idsOf([...first, ...second]), expected(orders, search).slice(0, 10));
  });

  test('fault 168: an order is found by its id, its reference, an address and a transaction, by its own account', async (t) => {
    const { storage } = await open(t);
    const { accounts, orders } = await mixture(storage);
    const [own, other] = accounts as [AccountId, AccountId];
    const order = await storedOrder(storage, own, { merchantReference: 'invoice 7', status: 'PARTIAL' });
    const twin = await storedOrder(storage, other, { merchantReference: 'invoice 7' });
    for (const txid of ['0xaa', '0xbb'])
      await storage.transaction((tx) => tx.deposits.add(deposit(order, { txid, index: txid })));
    const address = order.payment?.address ?? '';
    const search = async (given: Partial<OrderSearch> & { text?: string; address?: string; txid?: string }) => {
      const { text = '', address: place, txid, ...more } = given;
      const traces = {
        text,
        addresses: place === undefined ? [] : [{ chain: 'ETH', address: place }],
        transactions: txid === undefined ? [] : [{ chain: 'ETH', txid }],
      };
      return idsOf(await storage.orders.search({ ...EVERYTHING, traces, ...more }));
    };
    for (const trace of [{ text: order.id }, { address }, { txid: '0xaa' }, { txid: '0xbb' }]) {
      assert.deepEqual(await search(trace), [order.id]);
      assert.deepEqual(await search({ ...trace, accountId: own, statuses: ['PARTIAL'] }), [order.id]);
      assert.deepEqual(await search({ ...trace, accountId: other }), []);
      assert.deepEqual(await search({ ...trace, statuses: ['SUCCESS'] }), []);
      assert.deepEqual(await search({ ...trace, currencies: ['BTC'] }), []);
      assert.deepEqual(await search({ ...trace, to: order.createdAt }), []);
    }
    assert.deepEqual(await search({ text: 'invoice 7' }), [twin.id, order.id]);
    assert.deepEqual(await search({ text: 'invoice 7', limit: 1 }), [twin.id]);
    const after = { createdAt: twin.createdAt, id: twin.id };
    assert.deepEqual(await search({ text: 'invoice 7', limit: 1, after }), [order.id]);
    assert.deepEqual(await search({ text: 'invoice 7', accountId: own }), [order.id]);
    for (const text of ['invoice', 'Invoice 7', '', 'a\0b', String(orders[0]?.checkoutToken)])
      assert.deepEqual(await search({ text }), [], text);
  });

  test('fault 169: no combination of filters reads the whole table', async (t) => {
    const store = await open(t);
    const { id } = await storedAccount(store.storage);
    await storedOrder(store.storage, id);
    await multiply(store, 20_000);
    const traces = {
      text: 'invoice 7',
      addresses: [{ chain: 'ETH', address: '0xa' }],
      transactions: [{ chain: 'ETH', txid: '0xa' }],
    };
    const after = { createdAt: NOW + 9_000, id: '1600000000000009000' as OrderId };
    for (const search of [
      ...combinations([id]),
      ...combinations([id]).map((each) => ({ ...each, after })),
      ...combinations([id]).map((each) => ({ ...each, traces })),
    ]) {
      const plan = await planOf(store, { ...search, limit: 21 });
      const whole = name === 'pg' ? /Seq Scan on orders/ : /SCAN orders/;
      assert.ok(!whole.test(plan), `${JSON.stringify(search)}\n${plan}`);
      // Only pages are sorted, never all rows that pass a filter.
      if (search.traces === null && name !== 'pg') assert.match(plan, /USING COVERING INDEX/);
    }
  });
});

/** Copies the only order many times, for ten accounts in every status. */
async function multiply({ sql, engine }: TestStorage, count: number): Promise<void> {
  const columns = Object.keys((await sql('SELECT * FROM orders'))[0] ?? {});
  const statuses = ORDER_STATUSES.map((status, n) => `WHEN ${n} THEN '${status}'`).join(' ');
  const given: Readonly<Record<string, string>> = {
    id: 'CAST(1600000000000000000 + n AS TEXT)',
    number: 'n',
    checkout_token: `'checkout-' || n`,
    account_id: `CASE n % 10 WHEN 0 THEN account_id ELSE 'account-' || (n % 10) END`,
    status: `CASE n % 7 ${statuses} END`,
    created_at: 'created_at + n',
  };
  const numbers =
    engine === 'pg'
      ? `WITH numbers (n) AS (SELECT generate_series(2::bigint, ${count}::bigint))`
      : `WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers LIMIT ${count - 1})`;
  await sql(
    `INSERT INTO orders (${columns.join(', ')}) ${numbers} SELECT ${columns.map((column) => given[column] ?? column).join(', ')} FROM numbers CROSS JOIN (SELECT * FROM orders) AS sample`,
  );
  await sql('ANALYZE');
}
