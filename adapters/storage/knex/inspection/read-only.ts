import knex, { type Knex } from 'knex';
import type { Logger } from '../../../../core/index.ts';
import { Connections } from '../connections.ts';
import { Database } from '../database.ts';
import { pgDialect } from '../dialects/pg-dialect.ts';
import type { Dialect, Run } from '../dialects/dialect.ts';
import { sqliteClient } from '../drivers/sqlite-client.ts';
import type { SqliteConfig } from '../drivers/sqlite-client.ts';
import { common, pgSettings } from '../open-storage.ts';
import type { PgConfig } from '../open-storage.ts';
import { DEFAULT_LIMITS } from '../session.ts';
import { namespaceOf } from '../tables.ts';

/** A database to be inspected. */
export type InspectedDatabase = SqliteConfig | PgConfig;

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

function sqlite(file: SqliteConfig): readonly [Dialect, Knex.Config] {
  const { dialect, settings } = sqliteClient(file, { readOnly: true });
  return [{ ...dialect, prepare: prepareSqlite }, settings];
}
