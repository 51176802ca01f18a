import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { Connections } from '../../../adapters/storage/knex/connections.ts';
import { Database } from '../../../adapters/storage/knex/database.ts';
import { pgDialect } from '../../../adapters/storage/knex/dialects/pg-dialect.ts';
import { SqlStorage } from '../../../adapters/storage/knex/sql-storage.ts';
import { namespaceOf } from '../../../adapters/storage/knex/tables.ts';
import { START } from '../../support/fakes.ts';
import { SimRandom } from '../random.ts';
import { TIMEOUTS } from '../world/database.ts';
import type { DatabaseAccess, SimDatabase } from '../world/database.ts';
import { enrol } from '../world/image.ts';
import type { SimMerchant } from '../world/image.ts';
import { PgDriver } from './pg-driver.ts';
import type { Value } from './protocol.ts';
import { PgServer } from './server.ts';
import { Turns } from './turns.ts';

const TABLES = `SELECT relname AS name FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'schema_migrations' ORDER BY 1`;

/** Tables with rows of their own. */
const HEAPS = `SELECT tablename AS name FROM pg_tables JOIN pg_class ON relname = tablename WHERE schemaname = 'public' AND relkind = 'r'`;

const REFERENCES = `SELECT confrelid::regclass::text AS target, conrelid::regclass::text AS source FROM pg_constraint WHERE contype = 'f' ORDER BY 1, 2`;

/** Idle connections: more than one step of a scenario uses. */
const SPARE = 12;

/** A database with its merchants, to which each scenario of this process resets. */
interface Base {
  readonly server: PgServer;
  readonly merchants: readonly SimMerchant[];
  /** Tables, each with those that reference it. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
  /** The tables that are not empty at the beginning. */
  readonly kept: readonly string[];
  /** The tables written since. */
  readonly dirty: Set<string>;
  /** Unused sessions; the last one is used first. */
  readonly free: number[];
}

const bases = new Map<string, Promise<Base>>();

/** The storage adapter for PostgreSQL, on a driver that answers in turns. */
function storageOn(driver: PgDriver): SqlStorage {
  const pool = new Connections(driver.knex, pgDialect, { readOnly: false, owned: false });
  return new SqlStorage(
    new Database({
      dialect: pgDialect,
      namespace: namespaceOf('', null),
      writers: pool,
      readers: pool,
      guardNesting: false,
      limits: TIMEOUTS,
    }),
  );
}

/** Creates the schema and the merchants once, and keeps a copy of their rows. */
async function prepare(url: string): Promise<Base> {
  const server = await PgServer.connect(url);
  const free: number[] = [];
  await server.provide(SPARE);
  const turns = new Turns(server, new SimRandom(0));
  const driver = new PgDriver({
    turns,
    now: () => START,
    take: () => free.pop() ?? server.open(),
    giveBack: (connection) => void free.push(connection),
    onWrite: () => undefined,
  });
  const storage = storageOn(driver);
  await storage.migrate();
  // The rules continue after the last row that they read; SQLite numbers its rows by itself.
  server.look('CREATE SEQUENCE ledger_postings_rowid');
  server.look(`ALTER TABLE ledger_postings ADD COLUMN rowid BIGINT NOT NULL DEFAULT nextval('ledger_postings_rowid')`);
  server.look('ALTER SEQUENCE ledger_postings_rowid OWNED BY ledger_postings.rowid');
  const tables = server.look(TABLES).map(({ name }) => String(name));
  // Autovacuum runs by the clock and changes plans and the order of rows.
  for (const table of server.look(HEAPS).map(({ name }) => String(name)))
    server.look(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  const merchants = await enrol(storage);
  driver.kill();
  server.look('CREATE SCHEMA base');
  const kept = tables.filter((table) => server.look(`SELECT 1 FROM ${table} LIMIT 1`).length > 0);
  for (const table of kept) server.look(`CREATE TABLE base.${table} AS TABLE ${table}`);
  const referring = server.look(REFERENCES).map((row) => [String(row['target']), String(row['source'])] as const);
  const referrers = new Map(
    tables.map((table) => [table, referring.filter(([target]) => target === table).map(([, source]) => source)]),
  );
  return { server, merchants, tables: referrers, kept, dirty: new Set(tables), free };
}

/** Resets a database. */
function reset({ server, tables, kept, dirty }: Base): void {
  for (const table of dirty) for (const referrer of tables.get(table) ?? []) dirty.add(referrer);
  const written = [...tables.keys()].filter((table) => dirty.has(table));
  dirty.clear();
  const refill = kept
    .filter((table) => written.includes(table))
    .map((table) => `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM base.${table}`);
  // Triggers refuse to empty append-only tables.
  if (written.length > 0)
    server.execute([
      'BEGIN',
      'SET LOCAL session_replication_role = replica',
      `TRUNCATE ${written.join(', ')} RESTART IDENTITY`,
      ...refill,
      'COMMIT',
    ]);
}

/** Numbers the placeholders; rows of a query without an order are sorted by their first column. */
const own = new Map<string, string>();
function ownSql(sql: string): string {
  let text = own.get(sql);
  if (text === undefined) {
    let count = 0;
    text = sql.replaceAll('?', () => `$${++count}`);
    if (!text.includes('ORDER BY')) text += ' ORDER BY 1';
    own.set(sql, text);
  }
  return text;
}

/** A PostgreSQL database: each process of the till has its own connections, and their transactions overlap. */
export class PgDatabase implements SimDatabase {
  readonly adminId = null;
  now: () => number = () => START;
  onWrite: (table: string) => void = () => undefined;
  readonly turns: Turns;
  readonly #base: Base;
  readonly #restore: () => void;
  readonly #drivers: PgDriver[] = [];

  private constructor(base: Base, seed: number) {
    this.#base = base;
    this.turns = new Turns(base.server, new SimRandom(seed, 0x9a11));
    this.#restore = insteadOfTimers(() => this.turns.pause());
  }

  static async open(url: string, seed: number): Promise<PgDatabase> {
    let base = bases.get(url);
    if (base === undefined) bases.set(url, (base = prepare(url)));
    const ready = await base;
    reset(ready);
    await ready.server.provide(SPARE);
    return new PgDatabase(ready, seed);
  }

  /** Closes the connections that stay open between scenarios. */
  static async end(url: string): Promise<void> {
    const base = await bases.get(url);
    bases.delete(url);
    base?.server.close();
  }

  get merchants(): readonly SimMerchant[] {
    return this.#base.merchants;
  }

  get counts(): ReadonlyMap<string, number> {
    const { statements, waits, deadlocks, timeouts } = this.turns;
    return new Map(
      Object.entries({
        'pg statement': statements,
        'pg wait': waits,
        'pg deadlock': deadlocks,
        'pg lock timeout': timeouts,
      }),
    );
  }

  readonly ready = (): Promise<void> => this.#base.server.provide(SPARE);

  readonly pause = (): Promise<void> => this.turns.pause();
  readonly backups = null;

  all<Row>(sql: string, ...bindings: unknown[]): Row[] {
    return this.#base.server.look(ownSql(sql), bindings as Value[]) as Row[];
  }

  connect(): DatabaseAccess {
    const { server, free, dirty } = this.#base;
    const parts = {
      turns: this.turns,
      now: () => this.now(),
      take: () => free.pop() ?? server.open(),
      giveBack: (connection: number) => void free.push(connection),
      onWrite: (table: string) => {
        dirty.add(table);
        this.onWrite(table);
      },
    };
    const driver = new PgDriver(parts);
    this.#drivers.push(driver);
    return { storage: storageOn(driver), cut: () => driver.kill() };
  }

  close(): void {
    for (const driver of this.#drivers) driver.kill();
    this.#restore();
  }
}

/** Replaces the storage adapter's waits between two tries by turns of others. @returns a function that undoes it */
function insteadOfTimers(pause: () => Promise<void>): () => void {
  const real = timers.setTimeout;
  timers.setTimeout = (async <T>(_ms?: number, value?: T) => {
    await pause();
    return value;
  }) as typeof real;
  syncBuiltinESMExports();
  return () => {
    timers.setTimeout = real;
    syncBuiltinESMExports();
  };
}
