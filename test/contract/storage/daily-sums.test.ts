import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pgDialect } from '../../../adapters/storage/knex/dialects/pg-dialect.ts';
import { sqliteDialect } from '../../../adapters/storage/knex/dialects/sqlite-dialect.ts';
import {
  callbackSumsSql,
  gatewayDaysSql,
  gatewayMethodsSql,
  orderSumsSql,
} from '../../../adapters/storage/knex/stores/orders/overview-store.ts';
import { tablesOf } from '../../../adapters/storage/knex/tables.ts';
import { CALLBACK_STATUSES, DAY_MS, HOUR_MS, legalMoves, startOfDay } from '../../../core/index.ts';
import type { AccountId, AppId, Order, OrderSum, OverviewQuery, Storage } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import type { TestStorage } from '../../support/storage.ts';
import { callback, newOrder, NOW, rate, storedAccount, storedOrder } from './fixtures.ts';

const COINS = [null, 'ETH', 'USDT-ERC20', 'BTC'] as const;
const FIATS = ['USD', 'EUR', 'JPY'] as const;
const ALWAYS: OverviewQuery = { accountId: null, from: 0, to: startOfDay(NOW) + 1_000 * DAY_MS };

const paymentIn = (currency: string | null): Order['payment'] =>
  currency === null ? null : { chain: 'ETH', currency, units: 5n, address: `in-${++places}`, rate, chosenAt: NOW };
let places = 0;

const keyOf = ({ day, currency, vsCurrency, status }: OrderSum): string =>
  [day, currency ?? '', vsCurrency, status].join(' ');

/** The expected sums, from the orders themselves. */
async function recounted({ sql }: TestStorage, { accountId, from, to }: OverviewQuery): Promise<readonly OrderSum[]> {
  const sums = new Map<string, OrderSum>();
  for (const row of await sql(
    'SELECT account_id, created_at, currency, vs_currency, status, received, vs_price FROM orders',
  )) {
    const day = startOfDay(Number(row['created_at']));
    if ((accountId !== null && row['account_id'] !== accountId) || day < from || day >= to) continue;
    const one = {
      day,
      currency: row['currency'] as string | null,
      vsCurrency: row['vs_currency'] as string,
      status: row['status'] as Order['status'],
      orders: 1,
      received: BigInt(row['received'] as string),
      vsPrice: BigInt(row['vs_price'] as string),
    };
    const former = sums.get(keyOf(one));
    const added =
      former === undefined
        ? one
        : {
            ...one,
            orders: former.orders + 1,
            received: former.received + one.received,
            vsPrice: former.vsPrice + one.vsPrice,
          };
    sums.set(keyOf(one), added);
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

async function assertExact(store: TestStorage, queries: readonly OverviewQuery[]): Promise<void> {
  for (const query of queries)
    assert.deepEqual(await store.storage.overview.orders(query), await recounted(store, query));
}

/** One step of an order's life, chosen by a number. */
async function step(storage: Storage, order: Order, choice: number): Promise<void> {
  await storage
    .transaction(async (tx) => {
      const { id, status } = (await tx.orders.lock(order.id)) as Order;
      const moves = legalMoves().filter(([from]) => from === status);
      const move = moves[choice % (moves.length + 1)];
      const units = BigInt(choice) ** 4n * 10n ** 12n;
      if (move !== undefined) await tx.orders.move(id, status, move[1], { received: units, updatedAt: NOW });
      else if (choice % 3 === 0) await tx.orders.update(id, { received: units, updatedAt: NOW });
      else if (choice % 3 === 1)
        await tx.orders.update(id, { payment: paymentIn(COINS[1 + (choice % 2)] ?? 'ETH') as never, updatedAt: NOW });
      else await tx.orders.update(id, { refundAddress: `to-${choice}`, updatedAt: NOW });
      // A change that is rolled back leaves nothing.
      if (choice % 11 === 0) throw new Error('rolled back');
    })
    .catch((error: unknown) => assert.equal((error as Error).message, 'rolled back'));
}

eachStorage((name, open) => {
  test('fault 212: for any history, by many at once, the sums by day are those of the orders, to the unit', async (t) => {
    const store = await open(t);
    const { storage } = store;
    const choices = fc.array(fc.nat(2 ** 20), { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(choices, async (seed) => {
        const accounts = [(await storedAccount(storage)).id, (await storedAccount(storage)).id];
        const orders = await Promise.all(
          seed.map(async (number) => {
            const result = await storage.orders.create(
              newOrder(accounts[number % 2] as AccountId, {
                payment: paymentIn(COINS[number % 4] ?? null),
                vsCurrency: FIATS[number % 3] ?? 'USD',
                vsPrice: BigInt(number) * 10n ** 20n + 1n,
                createdAt: NOW + (number % 3) * DAY_MS,
              }),
            );
            return result.kind === 'created' ? result.order : assert.fail();
          }),
        );
        for (const round of [1, 2, 3])
          await Promise.all(orders.map((order, at) => step(storage, order, (seed[at] ?? 0) * round + at)));
        const day = startOfDay(NOW) + DAY_MS;
        await assertExact(store, [
          ALWAYS,
          { ...ALWAYS, from: day },
          { ...ALWAYS, from: day, to: day + DAY_MS },
          ...accounts.map((accountId) => ({ ...ALWAYS, accountId })),
        ]);
      }),
      { numRuns: name === 'pg' ? 4 : 8 },
    );
  });

  test('callbacks are counted by what they are now', async (t) => {
    const { storage, sql } = await open(t);
    const { id } = await storedAccount(storage);
    const order = await storedOrder(storage, id);
    const ids = await storage.transaction(async (tx) => {
      const made = CALLBACK_STATUSES.flatMap((status, at) =>
        Array.from({ length: at + 2 }, () => ({ ...callback(order, { orderId: null }), status })),
      );
      for (const each of made) assert.ok(await tx.callbacks.add(each));
      return made.map((each) => each.id);
    });
    const counts = async (query: OverviewQuery = { ...ALWAYS, accountId: id }) =>
      CALLBACK_STATUSES.map(async (status) => (await storage.overview.callbacks(query)).get(status) ?? 0);
    assert.deepEqual(await Promise.all(await counts()), [2, 3, 4]);
    await sql("UPDATE callbacks SET status = 'DELIVERED', attempts = 1 WHERE id = ?", [ids[0] ?? '']);
    await sql("UPDATE callbacks SET attempts = 2 WHERE status = 'PENDING'");
    assert.deepEqual(await Promise.all(await counts()), [1, 4, 4]);
    assert.deepEqual(await Promise.all(await counts(ALWAYS)), [1, 4, 4]);
    assert.deepEqual(await Promise.all(await counts({ ...ALWAYS, from: startOfDay(NOW) + DAY_MS })), [0, 0, 0]);
  });

  test('the use of the gateway is summed up by day and by method, of an account’s Apps or of all', async (t) => {
    const { storage, sql } = await open(t);
    const { id } = await storedAccount(storage);
    const day = startOfDay(NOW);
    await addApp(sql, 'app-1' as AppId, id);
    const rows = (['app-1', 'app-2'] as AppId[]).flatMap((appId, app) =>
      ['eth_call', 'eth_getLogs'].flatMap((method, at) =>
        [0, HOUR_MS, DAY_MS].map((later) => ({
          ...{ appId, method, hour: day + later, route: 'eth.gate.example' },
          ...{ requests: 10 ** app * (at + 1), units: 1, errors: at, bytesIn: 1, bytesOut: 1 },
        })),
      ),
    );
    await storage.usage.add({ instance: 'one', number: 1, rows });
    const query = { accountId: id, from: day, to: day + 92 * DAY_MS };
    assert.deepEqual(await storage.overview.gatewayDays(query), [
      { day, requests: 6, errors: 2 },
      { day: day + DAY_MS, requests: 3, errors: 1 },
    ]);
    assert.deepEqual(await storage.overview.gatewayMethods({ ...query, accountId: null }, 5), [
      { method: 'eth_getLogs', requests: 66, errors: 6 },
      { method: 'eth_call', requests: 33, errors: 0 },
    ]);
    assert.deepEqual(await storage.overview.gatewayMethods({ ...query, to: day + DAY_MS }, 1), [
      { method: 'eth_getLogs', requests: 4, errors: 2 },
    ]);
  });

  test('fault 213: an overview reads index ranges of its days, however many there are', async (t) => {
    const store = await open(t);
    const { sql } = store;
    const { id } = await storedAccount(store.storage);
    await fill(store, id);
    const dialect = name === 'pg' ? pgDialect : sqliteDialect;
    const statements = [orderSumsSql, callbackSumsSql, gatewayDaysSql, gatewayMethodsSql];
    for (const accountId of [null, id])
      for (const statement of statements) {
        const query = { accountId, from: startOfDay(NOW) - 91 * DAY_MS, to: startOfDay(NOW) + DAY_MS };
        const { sql: text, bindings } = statement(tablesOf(''), dialect, query, 50);
        const rows = await sql(`${name === 'pg' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN'} ${text}`, bindings as string[]);
        const plan = rows.map((row) => String(row['QUERY PLAN'] ?? row['detail'])).join('\n');
        const whole =
          name === 'pg'
            ? /Seq Scan on (?:order_sums|callback_sums|gateway_usage)/
            : /SCAN (?:order_sums|callback_sums|gateway_usage)/;
        assert.ok(!whole.test(plan), plan);
        const bound = name === 'pg' ? /(?:Index Cond: .*(?:day|hour) >=)/ : /(?:day|hour)>\? AND (?:day|hour)<\?/;
        assert.match(plan, bound);
        if (accountId !== null && /order_sums|callback_sums/.test(text))
          assert.match(plan, name === 'pg' ? /Index Cond: .*account_id =/ : /account_id=\?/);
      }
  });
});

async function addApp(sql: TestStorage['sql'], app: AppId, account: AccountId): Promise<void> {
  await sql(
    `INSERT INTO apps (id, account_id, name, enabled, version, chains, created_at, modified_at) VALUES (?, ?, 'App', true, 1, '[]', 0, 0)`,
    [app, account],
  );
}

/** Three years of sums of many accounts, and of usage of many Apps. */
async function fill({ engine, sql }: TestStorage, account: AccountId): Promise<void> {
  const { unitParts } = engine === 'pg' ? pgDialect : sqliteDialect;
  const amounts = ['received', 'vs_price'].flatMap((of) => unitParts.of(of).map((_, at) => `${of}_${at}`));
  const numbers =
    engine === 'pg'
      ? 'WITH numbers (n) AS (SELECT generate_series(1::bigint, 20000::bigint))'
      : 'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 20000)';
  const day = `${startOfDay(NOW)} - (n / 20) * ${DAY_MS}`;
  const owner = `CASE n % 400 WHEN 0 THEN '${account}' ELSE 'account ' || (n % 400) END`;
  await sql(
    `INSERT INTO order_sums (account_id, day, currency, vs_currency, status, records, ${amounts.join(', ')}) ${numbers}
     SELECT ${owner}, ${day}, 'coin ' || (n % 20), 'USD', 'SUCCESS', 1, ${amounts.map(() => '1').join(', ')} FROM numbers`,
  );
  await sql(
    `INSERT INTO callback_sums (account_id, day, status, records) ${numbers}
     SELECT 'account ' || (n % 400), ${day}, 'DELIVERED' || n, 1 FROM numbers`,
  );
  await addApp(sql, 'app 0' as AppId, account);
  await sql(
    `INSERT INTO gateway_usage (app_id, hour, route, method, requests, units, errors, bytes_in, bytes_out) ${numbers}
     SELECT 'app ' || (n % 400), ${day}, 'host', 'method ' || (n % 20), 1, 1, 1, 1, 1 FROM numbers`,
  );
  await sql('ANALYZE');
}
