import { availableParallelism } from 'node:os';
import type { FieldError } from '../../core/index.ts';

/** The setting `processes`. */
export type ProcessesSetting = number | 'auto';

/** With fewer connections a process's requests would wait for each other. */
export const CONNECTIONS_EACH = 2;

/** The database settings that limit the number of processes. */
type Database = { readonly client: 'sqlite' } | { readonly client: 'pg'; readonly pool: { readonly max: number } };

/** The number of a server's processes, with a reason to log. */
export interface ProcessCount {
  readonly count: number;
  /** Why `auto` is less than the number of cores; `null` when it is not. */
  readonly because: string | null;
}

/** Problems of the setting, with the value to write instead. */
export function processProblems(processes: ProcessesSetting, database: Database): readonly FieldError[] {
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
  { processes, database }: { readonly processes: ProcessesSetting; readonly database: Database },
  cores = availableParallelism(),
): ProcessCount {
  if (processes !== 'auto') return { count: processes, because: null };
  if (database.client === 'sqlite')
    return { count: 1, because: cores === 1 ? null : 'SQLite serves one process; PostgreSQL serves one for each core' };
  const most = Math.max(1, Math.floor(database.pool.max / CONNECTIONS_EACH));
  const because = `database.pool.max is ${database.pool.max}, and each process needs ${CONNECTIONS_EACH} connections`;
  return cores <= most ? { count: cores, because: null } : { count: most, because };
}

/** The number of this process, and how many there are. */
export interface ProcessPlace {
  /** From 1. */
  readonly number: number;
  readonly count: number;
}
