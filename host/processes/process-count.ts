import { availableParallelism } from 'node:os';
import type { FieldError } from '../../core/index.ts';
import type { DatabaseConfig, HostConfig } from '../config.ts';

/** The setting `processes`. */
export type ProcessesSetting = number | 'auto';

/** Below it a process would make its own requests wait for each other. */
export const CONNECTIONS_EACH = 2;

/** How many processes a server has, and what is to be said of that. */
export interface ProcessCount {
  readonly count: number;
  /** Why `auto` became fewer than there are cores; `null` where it did not. */
  readonly because: string | null;
}

/** What of the setting cannot be done, with what to write instead. */
export function processProblems(processes: ProcessesSetting, database: DatabaseConfig): readonly FieldError[] {
  if (processes === 'auto' || processes === 1) return [];
  if (database.client === 'sqlite')
    return [
      {
        path: 'processes',
        message:
          'SQLite serves one process: write 1, or set database to PostgreSQL ({"client": "pg", "connection": "…"})',
      },
    ];
  const needed = processes * CONNECTIONS_EACH;
  if (database.pool.max >= needed) return [];
  const message = `write at least ${needed}: ${processes} processes share these connections, and each needs ${CONNECTIONS_EACH}`;
  return [{ path: 'database.pool.max', message }];
}

/** The number of processes; `auto` is one for each core that this process may use, where the database allows that. */
export function processCount(
  { processes, database }: Pick<HostConfig, 'processes' | 'database'>,
  cores = availableParallelism(),
): ProcessCount {
  if (processes !== 'auto') return { count: processes, because: null };
  if (database.client === 'sqlite')
    return { count: 1, because: cores === 1 ? null : 'SQLite serves one process; PostgreSQL serves one for each core' };
  const most = Math.max(1, Math.floor(database.pool.max / CONNECTIONS_EACH));
  const because = `database.pool.max is ${database.pool.max}, and each process needs ${CONNECTIONS_EACH} connections`;
  return cores <= most ? { count: cores, because: null } : { count: most, because };
}

/** Which of how many processes this one is. */
export interface ProcessPlace {
  /** From 1. */
  readonly number: number;
  readonly count: number;
}

/** So many failed logins one process allows in a minute at least, where the settings do: a mistyped password is no attack. */
const LOGINS_EACH = 3;

/**
 * The settings of one of several processes: its part of the database connections, and of what strangers may do in a minute, which
 * each process counts by itself. Requests of accounts are not divided: a merchant may send all of them by one connection.
 */
export function shareOf(config: HostConfig, { number, count }: ProcessPlace): HostConfig {
  const { database, limits } = config;
  const { loginsPerMinute, payerWritesPerMinute } = limits;
  const shared = {
    ...limits,
    loginsPerMinute: Math.max(Math.min(LOGINS_EACH, loginsPerMinute), Math.ceil(loginsPerMinute / count)),
    payerWritesPerMinute: Math.ceil(payerWritesPerMinute / count),
  };
  return { ...config, limits: shared, database: poolShare(database, { number, count }) };
}

/** No connection is given twice. */
function poolShare(database: DatabaseConfig, { number, count }: ProcessPlace): DatabaseConfig {
  if (database.client === 'sqlite') return database;
  const part = (all: number): number => Math.floor(all / count) + (number <= all % count ? 1 : 0);
  return { ...database, pool: { min: part(database.pool.min), max: Math.max(part(database.pool.max), 1) } };
}
