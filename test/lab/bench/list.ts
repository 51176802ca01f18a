/**
 * A page deep in an account's orders against its first page.
 *
 *     npm run bench -- list             on SQLite and on PostgreSQL
 *     npm run bench -- list sqlite      on one of them
 */
import { join } from 'node:path';
import knex, { type Knex } from 'knex';
import { AssetCatalogue, OrderQueries, BUILT_IN_ASSETS } from '../../../core/index.ts';
import type { AccountId } from '../../../core/index.ts';
import { openStorage } from '../../../adapters/storage/knex/index.ts';
import type { SqlStorage, PgConfig, SqliteConfig } from '../../../adapters/storage/knex/index.ts';
import { newOrder, storedAccount } from '../../contract/storage/fixtures.ts';
import { freshDatabase } from '../../support/postgres.ts';
import { silentLogger } from '../../support/storage.ts';
import { median, report, rounded } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';

const ORDERS = 1_000_000;
const SIZE = 10;
/** The first page, the one the issue names, and the last. */
const PAGES = [1, 25_001, ORDERS / SIZE] as const;
const ROUNDS = 300;
const WARM_UP_ROUNDS = 50;
const AT_MOST = 2;
/** Order n of the account has this plus n as its id. */
const FIRST_ID = 1_600_000_000_000_000_000n;

interface Place {
  readonly config: SqliteConfig | PgConfig;
  /** SQL of the numbers from 2 to all orders, as `numbers (n)`. */
  readonly numbers: string;
  remove(): Promise<void>;
}

const PLACES: Readonly<Record<string, (folder: string) => Promise<Place>>> = {
  sqlite: async (folder) => ({
    config: { client: 'sqlite', filename: join(folder, 'till.db') },
    numbers: `WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers LIMIT ${ORDERS - 1})`,
    remove: () => Promise.resolve(),
  }),
  pg: async () => {
    const { url, drop } = await freshDatabase();
    return {
      config: { client: 'pg', connection: url },
      numbers: `WITH numbers (n) AS (SELECT generate_series(2::bigint, ${ORDERS}::bigint))`,
      remove: drop,
    };
  },
};

async function run(words: readonly string[]): Promise<void> {
  const wanted = Object.keys(PLACES).filter((engine) => words.includes(engine));
  for (const engine of wanted.length === 0 ? Object.keys(PLACES) : wanted) {
    await withFolder('list', (folder) => benchOn(engine, folder));
  }
}

async function benchOn(engine: string, folder: string): Promise<void> {
  const place = await (PLACES[engine] as (typeof PLACES)[string])(folder);
  const storage = await openStorage(place.config, { logger: silentLogger });
  try {
    await storage.migrate();
    const { id } = await storedAccount(storage);
    await storage.orders.create(newOrder(id));
    await multiply(place);
    await measure(engine, storage, id);
  } finally {
    await storage.close();
    await place.remove();
  }
}

/** Makes the account's one order a million, as the storage would have: numbered densely, the counter at the last number. */
async function multiply({ config, numbers }: Place): Promise<void> {
  const database = direct(config);
  try {
    const [sample = {}] = rowsOf(await database.raw('SELECT * FROM orders'));
    const given: Readonly<Record<string, string>> = {
      id: `CAST(${FIRST_ID} + n AS TEXT)`,
      number: 'n',
      checkout_token: `'checkout-' || n`,
    };
    const columns = Object.keys(sample);
    const values = columns.map((column) => given[column] ?? `sample.${column}`);
    await database.raw(
      `INSERT INTO orders (${columns.join(', ')}) ${numbers} SELECT ${values.join(', ')} FROM numbers CROSS JOIN (SELECT * FROM orders) AS sample`,
    );
    await database.raw(`UPDATE account_counters SET last = ${ORDERS} WHERE counter = 'orders'`);
    await database.raw('ANALYZE');
  } finally {
    await database.destroy();
  }
}

function direct(config: SqliteConfig | PgConfig): Knex {
  return config.client === 'pg'
    ? knex({ client: 'pg', connection: config.connection })
    : knex({ client: 'sqlite3', connection: { filename: config.filename }, useNullAsDefault: true });
}

function rowsOf(result: unknown): readonly Record<string, unknown>[] {
  return (Array.isArray(result) ? result : (result as { rows: unknown }).rows) as readonly Record<string, unknown>[];
}

async function measure(engine: string, storage: SqlStorage, account: AccountId): Promise<void> {
  const assets = new AssetCatalogue(BUILT_IN_ASSETS);
  const queries = new OrderQueries({
    storage,
    assets,
    chains: new Map(),
    clock: { now: () => Date.now() },
    settings: { pageMax: 100 },
    baseUrl: 'https://till.example',
  });
  const times = PAGES.map((): number[] => []);
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const [index, page] of PAGES.entries()) {
      const start = performance.now();
      const { total, items } = await queries.list(account, { page, size: SIZE });
      if (round >= 0) times[index]?.push((performance.now() - start) * 1000);
      check(
        page,
        total,
        items.map(({ order }) => order.id),
      );
    }
  }
  present(engine, times.map(median));
}

/** A fast page with the wrong orders on it would be worth nothing. */
function check(page: number, total: number, ids: readonly string[]): void {
  const newest = ORDERS - (page - 1) * SIZE;
  const expected = Array.from({ length: SIZE }, (_, n) => newest - n).map((n) =>
    n === 1 ? ids.at(-1) : String(FIRST_ID + BigInt(n)),
  );
  if (total !== ORDERS) throw new Error(`the total was ${total} of ${ORDERS}`);
  if (ids.length !== SIZE || ids.some((id, at) => id !== expected[at]))
    throw new Error(`page ${page} held ${ids.join(', ')}`);
}

function present(engine: string, micros: readonly number[]): void {
  const [first = NaN] = micros;
  report({
    bench: 'list',
    rows: PAGES.map((page, index) => ({
      page,
      'median µs': rounded(micros[index] ?? NaN),
      'multiple of page 1': rounded((micros[index] ?? NaN) / first),
    })),
    checks: PAGES.slice(1).map((page, index) => ({
      name: `page ${page} of ${ORDERS} orders on ${engine}, as a multiple of page 1`,
      value: (micros[index + 1] ?? NaN) / first,
      atMost: AT_MOST,
    })),
    facts: { engine, orders: ORDERS, size: SIZE, totalExact: true, medianMicros: micros.map(rounded) },
  });
}

export default { name: 'list', run };
