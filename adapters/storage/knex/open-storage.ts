import knex, { type Knex } from 'knex';
import { TillgateError } from '../../../core/index.ts';
import type { Logger, Metrics } from '../../../core/index.ts';
import { Connections } from './connections.ts';
import { Database } from './database.ts';
import type { Dialect } from './dialects/dialect.ts';
import { pgDialect } from './dialects/pg-dialect.ts';
import { nodeSqliteDialect, sqliteDialect } from './dialects/sqlite-dialect.ts';
import { sqliteClient } from './drivers/sqlite-client.ts';
import type { SqliteConfig } from './drivers/sqlite-client.ts';
import { SqlStorage } from './sql-storage.ts';
import { DEFAULT_LIMITS } from './session.ts';
import type { TransactionLimits } from './session.ts';
import { namespaceOf } from './tables.ts';
import type { Namespace } from './tables.ts';

/** A PostgreSQL database. */
export interface PgConfig {
  readonly client: 'pg';
  /** A connection string or the settings of `pg`. */
  readonly connection: string | Knex.PgConnectionConfig;
  readonly pool?: { readonly min?: number; readonly max?: number };
}

/** The application's own knex instance (clients `pg`, `sqlite3`, `better-sqlite3`); the application closes it. */
export interface EmbeddedConfig {
  readonly knex: Knex;
}

export type StorageConfig = SqliteConfig | PgConfig | EmbeddedConfig;

export interface StorageDeps {
  readonly logger: Logger;
  /** Counts how long work waits for a connection (`tillgate_database_wait_seconds_total`). */
  readonly metrics?: Metrics;
  /** Prefix of every table name; empty by default. */
  readonly tablePrefix?: string;
  /** The PostgreSQL schema of the tables, created when missing; by default the first in the connection's search path. */
  readonly schema?: string;
  /** Refuses calls inside a transaction that bypass it: for tests and development, see `nesting-guard.ts`. */
  readonly guardNesting?: boolean;
  readonly limits?: Partial<TransactionLimits>;
}

const ACQUIRE_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** A connection that only listens notices this way that its server is gone; the system's own timeout is two hours. */
const KEEP_ALIVE_MS = 10_000;
const SQLITE_READERS = 3;

const DIALECTS: Readonly<Record<string, Dialect>> = {
  pg: pgDialect,
  sqlite3: sqliteDialect,
  'better-sqlite3': sqliteDialect,
  'node:sqlite': nodeSqliteDialect,
};

interface Pools {
  readonly dialect: Dialect;
  readonly writers: Connections;
  readonly readers: Connections;
}

/**
 * Opens the storage and checks the engine's version; `migrate()` brings the schema up to date.
 *
 * @throws TillgateError `NOT_READY` when the database does not answer, `CONFIG_INVALID` for an engine or setting that is not safe for money
 */
export async function openStorage(config: StorageConfig, deps: StorageDeps): Promise<SqlStorage> {
  return new SqlStorage(await openDatabase(config, deps));
}

/** The connections of {@link openStorage} without the stores. */
export async function openDatabase(config: StorageConfig, deps: StorageDeps): Promise<Database> {
  const namespace = namespaceOf(deps.tablePrefix ?? '', deps.schema ?? null);
  const { dialect, writers, readers } = poolsOf(config, deps);
  const database = new Database({
    dialect,
    namespace,
    writers,
    readers,
    guardNesting: deps.guardNesting ?? false,
    limits: { ...DEFAULT_LIMITS, ...deps.limits },
  });
  try {
    checkNamespace(namespace, dialect);
    await dialect.checkVersion(database.write);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

function checkNamespace({ schema }: Namespace, dialect: Dialect): void {
  if (schema === null || dialect.enterSchema !== null) return;
  throw new TillgateError('CONFIG_INVALID', 'SQLite has no schemas: give a table prefix instead.');
}

function poolsOf(config: StorageConfig, deps: StorageDeps): Pools {
  if ('knex' in config) return embedded(config.knex, deps);
  return config.client === 'pg' ? postgres(config, deps) : sqlite(config, deps);
}

function embedded(instance: Knex, { metrics }: StorageDeps): Pools {
  const dialect = DIALECTS[(instance.client as { driverName?: string }).driverName ?? ''];
  if (dialect === undefined)
    throw new TillgateError(
      'CONFIG_INVALID',
      'The knex instance must be one of the clients pg, sqlite3 and better-sqlite3.',
    );
  const pool = new Connections(instance, dialect, { readOnly: false, owned: false }, metrics);
  return { dialect, writers: pool, readers: pool };
}

/**
 * One connection writes; WAL lets other connections read at the same time. An in-memory database exists only in its one
 * connection.
 */
function sqlite(config: SqliteConfig, { logger, metrics }: StorageDeps): Pools {
  const { settings, dialect } = sqliteClient(config);
  const inMemory = config.filename === ':memory:';
  const open = (pool: { min: number; max: number }, readOnly: boolean): Connections => {
    // Closing the connection would delete an in-memory database.
    const lasting = inMemory ? { idleTimeoutMillis: 2 ** 31 - 1 } : {};
    const instance = knex(common(settings, { ...pool, ...lasting }, logger));
    return new Connections(instance, dialect, { readOnly, owned: true }, metrics);
  };
  const writers = open({ min: 1, max: 1 }, false);
  return { dialect, writers, readers: inMemory ? writers : open({ min: 0, max: SQLITE_READERS }, true) };
}

/** The knex settings for a PostgreSQL database. */
export function pgSettings({ connection }: PgConfig): Knex.Config {
  const given = typeof connection === 'string' ? { connectionString: connection } : connection;
  return {
    client: 'pg',
    connection: {
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      application_name: 'tillgate',
      ...given,
    },
  };
}

function postgres(config: PgConfig, { logger, metrics }: StorageDeps): Pools {
  const instance = knex(common(pgSettings(config), { min: 0, max: 10, ...config.pool }, logger));
  const connections = new Connections(instance, pgDialect, { readOnly: false, owned: true }, metrics);
  return { dialect: pgDialect, writers: connections, readers: connections };
}

const isAcquireError = (message: unknown): boolean => /^Acquire connection error/.test(firstLine(message));

/** The settings of every pool: its size, and a log without bound values. */
export function common(settings: Knex.Config, pool: Knex.PoolConfig, logger: Logger): Knex.Config {
  const silent = (): void => undefined;
  return {
    ...settings,
    pool: { acquireTimeoutMillis: ACQUIRE_TIMEOUT_MS, ...pool },
    // Bound values must not get into error messages.
    compileSqlOnError: false,
    asyncStackTraces: false,
    log: {
      // The caller that waits for a connection gets the same error.
      warn: (message: unknown) =>
        logger[isAcquireError(message) ? 'debug' : 'warn']('database driver warning', { reason: firstLine(message) }),
      error: (message: unknown) => logger.error('database driver error', { reason: firstLine(message) }),
      deprecate: silent,
      debug: silent,
    },
  };
}

const firstLine = (message: unknown): string => String(message).split('\n', 1)[0] ?? '';
