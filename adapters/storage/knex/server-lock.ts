import knex from 'knex';
import { TillgateError } from '../../../core/index.ts';
import { codeOf } from './errors.ts';
import { sqliteClient } from './drivers/sqlite-client.ts';
import type { SqliteConfig } from './drivers/sqlite-client.ts';

/** The lock of the one server of an SQLite file. */
export interface ServerLock {
  release(): Promise<void>;
}

/** The `reason` of the refusal of {@link acquireServerLock} when another server holds the lock. */
export const SERVER_RUNNING = 'server_running';

/**
 * Makes this process the only server of an SQLite file. The lock is the operating system's, on a file beside the
 * database, taken through SQLite: it ends with the process, `kill -9` included, and commands can still use the
 * database while the server runs.
 *
 * @throws TillgateError `CONFIG_INVALID` when another server holds the lock, or there is no driver
 */
export async function acquireServerLock(config: SqliteConfig): Promise<ServerLock> {
  const { filename } = config;
  if (filename === ':memory:') return { release: () => Promise.resolve() };
  const { settings } = sqliteClient({ ...config, filename: `${filename}.server-lock` }, { busyTimeoutMs: 0 });
  const holder = knex({
    ...settings,
    pool: { min: 1, max: 1, idleTimeoutMillis: 2 ** 31 - 1 },
    compileSqlOnError: false,
  });
  try {
    await holder.raw('PRAGMA busy_timeout = 0');
    await holder.raw('BEGIN EXCLUSIVE');
  } catch (error) {
    await holder.destroy();
    if (!codeOf(error).startsWith('SQLITE_BUSY')) throw error;
    throw new TillgateError(
      'CONFIG_INVALID',
      'Another server is running on this SQLite database; a second one needs PostgreSQL.',
      { reason: SERVER_RUNNING },
    );
  }
  return { release: () => holder.destroy() };
}
