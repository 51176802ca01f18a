import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { SettingsInput } from '../../../../host/index.ts';
import { startDurablePostgres } from './durable-postgres.ts';
import type { DurablePostgres } from './durable-postgres.ts';

/** A database for a till. */
export interface OrderDatabase {
  readonly database: NonNullable<SettingsInput['database']>;
  /**
   * Puts addresses into the pools as the till's worker would, but without deriving them: that is done ahead of the load
   * in real life too.
   *
   * @throws Error while a chain has none yet
   */
  fillPools(count: number): Promise<void>;
  /** The number of stored orders, of their addresses and of their idempotency keys. */
  stored(): Promise<{ orders: number; addresses: number; claims: number }>;
  /** What the server has written so far to its log of changes (WAL), in bytes; `null` where there is none to ask. */
  readonly walBytes: (() => Promise<number>) | null;
}

/** A database for the till, and the yardstick on the same engine and the same disk. */
export interface OrderFixture extends OrderDatabase {
  readonly engine: string;
  readonly yardstick: string;
  /** The database's server; `null` where it is part of the till's process. */
  readonly serverPid: number | null;
  /** A further database on the same server; `null` where the database is part of the till's process. */
  readonly another: ((name: string) => Promise<OrderDatabase>) | null;
  /** Commits a second of the yardstick. */
  measure(seconds: number): Promise<number>;
  close(): Promise<void>;
}

/** Those of the sandbox. */
const CHAINS = 5;
/** The coin that the load's orders are paid in; other chains get what keeps the worker from deriving in the middle of a round. */
export const LOADED_COIN = { chain: 'ETH', currency: 'USDT-ERC20' } as const;
const BEYOND_LOW_WATER = 5000;
const STORED = `SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM order_addresses) AS addresses,
  (SELECT count(*) FROM idempotency_claims) AS claims`;

/** PostgreSQL: `pgbench -N` with as many clients, in the same cluster. */
export async function postgresFixture(_folder: string, connections: number): Promise<OrderFixture> {
  const cluster = await startDurablePostgres();
  return {
    engine: `PostgreSQL ${cluster.version}`,
    yardstick: `pgbench -N, ${connections} clients`,
    serverPid: cluster.pid,
    ...postgresDatabase(cluster),
    another: async (name) => postgresDatabase(await cluster.create(name)),
    measure: (seconds) => cluster.pgbench({ clients: connections, seconds }),
    close: () => cluster.stop(),
  };
}

/** One of a server's databases. */
type PostgresDatabase = Pick<DurablePostgres, 'url' | 'query'>;

function postgresDatabase(opened: PostgresDatabase): OrderDatabase {
  return {
    database: { client: 'pg', connection: opened.url },
    fillPools: (count) => fillPostgresPools(opened, count),
    stored: async () => countsOf((await opened.query(STORED))[0]),
    walBytes: async () =>
      Number((await opened.query(`SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`))[0]?.['bytes']),
  };
}

async function fillPostgresPools({ query }: PostgresDatabase, count: number): Promise<void> {
  const wallets = await query('SELECT DISTINCT chain, wallet_id FROM address_pool');
  if (wallets.length < CHAINS) throw new Error('a chain has no addresses yet');
  for (const { chain, wallet_id: wallet } of wallets) {
    const taken =
      'UPDATE wallet_indexes SET next_index = next_index + $2 WHERE wallet_id = $1 RETURNING next_index - $2 AS first';
    const [index] = await query(taken, [wallet, count]);
    const first = Number(index?.['first']);
    await query(
      `INSERT INTO address_pool (chain, wallet_id, address_index, address, watch_key)
       SELECT $1, $2, n, '0x' || key, key FROM (SELECT n, substr(md5(n::text) || md5('x' || n), 1, 40) AS key FROM generate_series($3::bigint, $4::bigint) AS n) AS made`,
      [chain, wallet, first, first + (chain === LOADED_COIN.chain ? count : BEYOND_LOW_WATER) - 1],
    );
  }
  await query('ANALYZE address_pool');
}

/** The part of better-sqlite3 that is used here. */
interface SqliteFile {
  pragma(text: string): unknown;
  exec(sql: string): void;
  prepare(sql: string): {
    run(...values: unknown[]): unknown;
    get(...values: unknown[]): Record<string, unknown>;
    all(): Record<string, unknown>[];
  };
  close(): void;
}

const openSqlite = (path: string): SqliteFile => {
  const Sqlite = createRequire(import.meta.url)('better-sqlite3') as new (path: string) => SqliteFile;
  const file = new Sqlite(path);
  file.pragma('journal_mode = WAL');
  file.pragma('synchronous = FULL');
  file.pragma('foreign_keys = ON');
  file.pragma('busy_timeout = 10000');
  return file;
};

/** SQLite: better-sqlite3 committing one order at a time, the same rows into the same tables of another file. */
export async function sqliteFixture(folder: string): Promise<OrderFixture> {
  const filename = join(folder, 'till.db');
  let file: SqliteFile | null = null;
  let single: SingleCommits | null = null;
  const opened = (): SqliteFile => (file ??= openSqlite(filename));
  return {
    engine: `SQLite ${String(openSqlite(':memory:').prepare('SELECT sqlite_version() AS version').get()['version'])}`,
    yardstick: 'better-sqlite3, one order a commit',
    database: { client: 'sqlite', filename },
    serverPid: null,
    another: null,
    fillPools: async (count) => fillSqlitePools(opened(), count),
    stored: async () => countsOf(opened().prepare(STORED).get()),
    walBytes: null,
    measure: async (seconds) => (single ??= new SingleCommits(opened(), join(folder, 'yardstick.db'))).measure(seconds),
    close: async () => {
      single?.close();
      file?.close();
    },
  };
}

function fillSqlitePools(file: SqliteFile, count: number): void {
  const wallets = file.prepare('SELECT DISTINCT chain, wallet_id FROM address_pool').all();
  if (wallets.length < CHAINS) throw new Error('a chain has no addresses yet');
  const take = file.prepare(
    'UPDATE wallet_indexes SET next_index = next_index + ? WHERE wallet_id = ? RETURNING next_index - ? AS first',
  );
  const fill = file.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT ? UNION ALL SELECT n + 1 FROM numbers LIMIT ?)
     INSERT INTO address_pool (chain, wallet_id, address_index, address, watch_key)
     SELECT ?, ?, n, '0x' || printf('%040x', n), printf('%040x', n) FROM numbers`,
  );
  for (const { chain, wallet_id: wallet } of wallets) {
    const { first } = take.get(count, wallet, count);
    fill.run(first, chain === LOADED_COIN.chain ? count : BEYOND_LOW_WATER, chain, wallet);
  }
}

/** The till's schema in a file of its own, and the rows of one of the till's own orders, committed one by one. */
class SingleCommits {
  readonly #file: SqliteFile;
  readonly #create: (n: number) => void;
  #orders = 0;

  constructor(till: SqliteFile, path: string) {
    // A consistent copy, although the till is writing.
    till.prepare('VACUUM INTO ?').run(path);
    this.#file = openSqlite(path);
    const sample = (table: string): Record<string, unknown> =>
      this.#file.prepare(`SELECT * FROM ${table} LIMIT 1`).get();
    const samples = {
      idempotency_claims: sample('idempotency_claims'),
      orders: sample('orders'),
      order_addresses: sample('order_addresses'),
    };
    for (const table of [...Object.keys(samples), 'address_pool']) this.#file.exec(`DELETE FROM ${table}`);
    this.#file.exec('VACUUM');
    this.#create = this.#statements(samples);
  }

  measure(seconds: number): number {
    const first = this.#orders;
    const start = performance.now();
    while (performance.now() - start < seconds * 1000) {
      this.#create(this.#orders);
      this.#orders += 1;
    }
    return (this.#orders - first) / ((performance.now() - start) / 1000);
  }

  close(): void {
    this.#file.close();
  }

  #statements({
    idempotency_claims: claim,
    orders: order,
    order_addresses: address,
  }: Record<'idempotency_claims' | 'orders' | 'order_addresses', Record<string, unknown>>): (n: number) => void {
    const insert = (table: string, row: Record<string, unknown>) => {
      const names = Object.keys(row);
      const statement = this.#file.prepare(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`,
      );
      return (changes: Record<string, unknown>): void => void statement.run({ ...row, ...changes });
    };
    const claims = insert('idempotency_claims', claim);
    const orders = insert('orders', order);
    const addresses = insert('order_addresses', address);
    const count = this.#file.prepare(
      `UPDATE account_counters SET last = last + 1 WHERE account_id = ? AND counter = 'orders' RETURNING last`,
    );
    const [begin, commit] = ['BEGIN IMMEDIATE', 'COMMIT'].map((sql) => this.#file.prepare(sql));
    return (n) => {
      const id = String(1_000_000_000_000_000_000n + BigInt(n));
      const mixed = scattered(n);
      const key = `c0ffee${mixed.repeat(2)}c0`;
      begin?.run();
      claims({ claim_key: `${mixed}-as-long-as-a-uuid-of-36-${n}`, order_id: id });
      const { last } = count.get(order['account_id']);
      orders({ id, number: last, checkout_token: mixed.repeat(2), address: `0x${key}` });
      addresses({ order_id: id, address: `0x${key}`, watch_key: key, address_index: n });
      commit?.run();
    };
  }
}

/** 16 hexadecimal digits for each number, spread over their whole range as keys and tokens are. */
function scattered(n: number): string {
  return BigInt.asUintN(64, BigInt(n + 1) * 0x9e3779b97f4a7c15n)
    .toString(16)
    .padStart(16, '0');
}

function countsOf(row: Record<string, unknown> | undefined): { orders: number; addresses: number; claims: number } {
  const count = (name: string): number => Number(row?.[name]);
  return { orders: count('orders'), addresses: count('addresses'), claims: count('claims') };
}
