import { pathToFileURL } from 'node:url';
import knex, { type Knex } from 'knex';
import type { Logger } from '../../../../core/index.ts';
import { Connections } from '../connections.ts';
import { Database } from '../database.ts';
import { pgDialect } from '../dialects/pg-dialect.ts';
import { sqliteDialect } from '../dialects/sqlite-dialect.ts';
import type { Dialect, Run } from '../dialects/dialect.ts';
import { common, pgSettings } from '../open-storage.ts';
import type { PgConfig } from '../open-storage.ts';
import { DEFAULT_LIMITS } from '../session.ts';
import { namespaceOf } from '../tables.ts';

/** An SQLite file. */
export interface InspectedFile {
  readonly client: 'sqlite';
  readonly filename: string;
}

/** A database to be inspected, through the driver `sqlite3` or `pg`. */
export type InspectedDatabase = InspectedFile | PgConfig;

/** A query that takes longer is given up, so that it does not slow down the running till. */
const STATEMENT_MS = 10_000;

const PG_SETTINGS = {
  default_transaction_read_only: 'on',
  statement_timeout: String(STATEMENT_MS),
  lock_timeout: '2000',
} as const;

async function preparePg(run: Run): Promise<void> {
  const set = Object.entries(PG_SETTINGS).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  await run(`SELECT ${set.join(', ')}`);
}

async function prepareSqlite(run: Run): Promise<void> {
  await run('PRAGMA busy_timeout = 5000');
  await run('PRAGMA query_only = ON');
}

/**
 * Opens a database read-only: it is neither created nor migrated nor put into another mode, and the database itself
 * refuses changes. Its statements run beside a till that uses the same database.
 */
export function openReadOnly(config: InspectedDatabase, logger: Logger): Database {
  const [dialect, settings] = config.client === 'pg' ? pg(config) : sqlite(config);
  const pool = new Connections(knex(common(settings, { min: 0, max: 1 }, logger)), dialect, {
    readOnly: true,
    owned: true,
  });
  return new Database({
    dialect,
    namespace: namespaceOf('', null),
    writers: pool,
    readers: pool,
    guardNesting: false,
    limits: DEFAULT_LIMITS,
  });
}

const pg = (config: PgConfig): readonly [Dialect, Knex.Config] => [
  { ...pgDialect, prepare: preparePg },
  pgSettings(config),
];

/** Knex always opens files for writing and creating; the mode in the URI overrides both. */
const sqlite = ({ filename }: InspectedFile): readonly [Dialect, Knex.Config] => [
  { ...sqliteDialect, prepare: prepareSqlite },
  {
    client: 'sqlite3',
    connection: { filename: `${pathToFileURL(filename).href}?mode=ro`, flags: ['OPEN_URI'] },
    useNullAsDefault: true,
  },
];
