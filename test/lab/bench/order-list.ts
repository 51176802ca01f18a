/**
 * Lists of the management API over a million orders: deep pages, filters and searches against the first page.
 *
 *     npm run bench -- order-list            on PostgreSQL
 *     npm run bench -- order-list sqlite     on SQLite
 */
import { join } from 'node:path';
import knex, { type Knex } from 'knex';
import { AssetCatalogue, ORDER_STATUSES, OrderQueries, BUILT_IN_ASSETS } from '../../../core/index.ts';
import type { AccountId, OrderFilter, OrderId } from '../../../core/index.ts';
import { openStorage } from '../../../adapters/storage/knex/index.ts';
import type { SqlStorage, PgConfig, SqliteConfig } from '../../../adapters/storage/knex/index.ts';
import { newOrder, NOW, storedAccount } from '../../contract/storage/fixtures.ts';
import { freshDatabase } from '../../support/postgres.ts';
import { silentLogger } from '../../support/storage.ts';
import { median, report, rounded } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';

const ORDERS = 1_000_000;
const LIMIT = 20;
const ROUNDS = 200;
const WARM_UP_ROUNDS = 40;
const AT_MOST = 2;
/** Order n has this plus n as its id. */
const FIRST_ID = 1_600_000_000_000_000_000n;
/** Four in five orders are of one account. */
const OWN = 5;
const DEEP = ORDERS - 100;

interface Place {
  readonly config: SqliteConfig | PgConfig;
  /** SQL of the numbers from 2 to all orders, as `numbers (n)`. */
  readonly numbers: string;
  remove(): Promise<void>;
}

const PLACES = {
  sqlite: async (folder: string): Promise<Place> => ({
    config: { client: 'sqlite', filename: join(folder, 'till.db') },
    numbers: `WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers LIMIT ${ORDERS - 1})`,
    remove: () => Promise.resolve(),
  }),
  pg: async (): Promise<Place> => {
    const { url, drop } = await freshDatabase();
    return {
      config: { client: 'pg', connection: url },
      numbers: `WITH numbers (n) AS (SELECT generate_series(2::bigint, ${ORDERS}::bigint))`,
      remove: drop,
    };
  },
};

async function run(words: readonly string[]): Promise<void> {
  const engine = words.includes('sqlite') ? 'sqlite' : 'pg';
  await withFolder('order-list', async (folder) => {
    const place = await PLACES[engine](folder);
    const storage = await openStorage(place.config, { logger: silentLogger });
    try {
      await storage.migrate();
      const { id } = await storedAccount(storage);
      await storage.orders.create(newOrder(id, { merchantReference: 'r1' }));
      await multiply(place);
      await measure(engine, storage, id);
    } finally {
      await storage.close();
      await place.remove();
    }
  });
}

/** Makes the one order a million: of two accounts, in every status, in five coins, one a millisecond. */
async function multiply({ config, numbers }: Place): Promise<void> {
  const database: Knex =
    config.client === 'pg'
      ? knex({ client: 'pg', connection: config.connection })
      : knex({ client: 'sqlite3', connection: { filename: config.filename }, useNullAsDefault: true });
  try {
    const result: unknown = await database.raw('SELECT * FROM orders');
    const rows = (Array.isArray(result) ? result : (result as { rows: unknown }).rows) as Record<string, unknown>[];
    const columns = Object.keys(rows[0] ?? {});
    const statuses = ORDER_STATUSES.map((status, n) => `WHEN ${n} THEN '${status}'`).join(' ');
    const given: Readonly<Record<string, string>> = {
      id: `CAST(${FIRST_ID} + n AS TEXT)`,
      number: 'n',
      checkout_token: `'checkout-' || n`,
      merchant_reference: `'r' || n`,
      account_id: `CASE WHEN n % ${OWN} = 0 THEN 'another' ELSE sample.account_id END`,
      status: `CASE n % 7 ${statuses} END`,
      // One in a thousand is in a rare coin.
      currency: `CASE WHEN n % 1000 = 1 THEN 'DAI-ERC20' WHEN n % 3 = 0 THEN 'ETH' ELSE sample.currency END`,
      created_at: `${NOW} + n`,
    };
    const values = columns.map((column) => given[column] ?? `sample.${column}`);
    await database.raw(
      `INSERT INTO orders (${columns.join(', ')}) ${numbers} SELECT ${values.join(', ')} FROM numbers CROSS JOIN (SELECT * FROM orders) AS sample`,
    );
    await database.raw(config.client === 'pg' ? 'VACUUM ANALYZE orders' : 'ANALYZE');
  } finally {
    await database.destroy();
  }
}

interface Case {
  readonly name: string;
  readonly own: boolean;
  readonly filter: OrderFilter;
  readonly deep?: true;
  readonly items: number;
}

const CASES: readonly Case[] = [
  { name: "a merchant's first page", own: true, filter: {}, items: LIMIT },
  { name: 'a deep page', own: true, filter: {}, deep: true, items: LIMIT },
  { name: 'a status', own: true, filter: { status: 'REFUNDED' }, items: LIMIT },
  { name: 'a status, deep', own: true, filter: { status: 'REFUNDED' }, deep: true, items: 11 },
  { name: 'a rare coin', own: true, filter: { currency: 'DAI-ERC20' }, items: LIMIT },
  { name: 'a rare coin in a status', own: true, filter: { currency: 'DAI-ERC20', status: 'PARTIAL' }, items: LIMIT },
  { name: 'a chain', own: true, filter: { chain: 'ETH' }, items: LIMIT },
  { name: 'an hour', own: true, filter: { from: NOW + 300_000, to: NOW + 400_000 }, items: LIMIT },
  { name: 'a reference', own: true, filter: { q: 'r777777' }, items: 1 },
  { name: 'an id', own: true, filter: { q: String(FIRST_ID + 777_777n) }, items: 1 },
  { name: 'a hash that is not there', own: true, filter: { q: '0x'.padEnd(66, 'a') }, items: 0 },
  { name: "an admin's first page", own: false, filter: {}, items: LIMIT },
  { name: "an admin's deep page", own: false, filter: {}, deep: true, items: LIMIT },
  { name: "an admin's rare coin", own: false, filter: { currency: 'DAI-ERC20' }, items: LIMIT },
  { name: "an admin's reference", own: false, filter: { q: 'r777777' }, items: 1 },
];

async function measure(engine: string, storage: SqlStorage, account: AccountId): Promise<void> {
  const queries = new OrderQueries({
    storage,
    assets: new AssetCatalogue(BUILT_IN_ASSETS),
    chains: new Map(),
    clock: { now: () => Date.now() },
    settings: { pageMax: 100 },
    baseUrl: 'https://till.example',
  });
  const after = { createdAt: NOW + ORDERS - DEEP, id: String(FIRST_ID + BigInt(ORDERS - DEEP)) as OrderId };
  const times = CASES.map((): number[] => []);
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const [index, { name, own, filter, deep, items }] of CASES.entries()) {
      const start = performance.now();
      const page = { limit: LIMIT, after: deep === true ? after : null };
      const found = await queries.search(own ? account : null, filter, page);
      if (round >= 0) times[index]?.push((performance.now() - start) * 1000);
      if (found.items.length !== items) throw new Error(`${name}: ${found.items.length} orders in place of ${items}`);
    }
  }
  present(engine, times.map(median));
}

function present(engine: string, micros: readonly number[]): void {
  const [first = NaN] = micros;
  const multiples = micros.map((one) => one / first);
  report({
    bench: 'order-list',
    rows: CASES.map(({ name }, index) => ({
      list: name,
      'median µs': rounded(micros[index] ?? NaN),
      'multiple of page 1': rounded(multiples[index] ?? NaN),
    })),
    checks: CASES.slice(1).map(({ name }, index) => ({
      name: `${name}, of ${ORDERS} orders on ${engine}, as a multiple of page 1`,
      value: multiples[index + 1] ?? NaN,
      atMost: AT_MOST,
    })),
    facts: { engine, orders: ORDERS, limit: LIMIT, medianMicros: micros.map(rounded) },
  });
}

export default { name: 'order-list', run };
