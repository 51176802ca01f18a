import { closeSync, openSync, readSync } from 'node:fs';
import { TillgateError, isTillgateError } from '../../../../core/index.ts';
import type { Logger } from '../../../../core/index.ts';
import type { InspectedDatabase } from '../inspection/read-only.ts';
import { SERVER_RUNNING, acquireServerLock } from '../server-lock.ts';
import { makeFolder, writeNewFile } from './new-file.ts';
import { dumpPg, isEmptyPg, loadPg } from './pg-programs.ts';
import type { Environment } from './pg-programs.ts';
import { copySqlite, isEmptySqlite, placeSqlite } from './sqlite-file.ts';

/** The ending of a backup's name, by engine. */
export const BACKUP_ENDINGS = { sqlite: 'db', pg: 'dump' } as const;
type Engine = keyof typeof BACKUP_ENDINGS;

/** The first bytes of a backup. */
const SIGNATURES: Readonly<Record<Engine, string>> = { sqlite: 'SQLite format 3\0', pg: 'PGDMP' };

/** The engine of a database. */
export const engineOf = ({ client }: InspectedDatabase): Engine => (client === 'pg' ? 'pg' : 'sqlite');

/**
 * Writes a consistent copy of a database into a new file that only its owner can read, while servers may be running. The
 * database is not migrated.
 *
 * @param environment - that of PostgreSQL's programs
 * @returns the size of the file in bytes
 * @throws TillgateError `STATE_CONFLICT` when the file exists; `NOT_FOUND`, `NOT_READY`, or `CONFIG_INVALID` when `pg_dump` is missing
 */
export function backUpDatabase(database: InspectedDatabase, file: string, environment: Environment): Promise<number> {
  return writeNewFile(file, (unfinished) =>
    database.client === 'pg' ? dumpPg(database, unfinished, environment) : copySqlite(database, unfinished),
  );
}

/** The dependencies of {@link restoreDatabase}. */
export interface RestoreDeps<Database extends InspectedDatabase> {
  readonly environment: Environment;
  readonly logger: Logger;
  /** Keeps a SQLite database that is there under another name; otherwise the place must be empty. */
  readonly replace: boolean;
  /** Completes the restored database before any server can use it; on PostgreSQL right after it was restored. */
  readonly prepare: (restored: Database) => Promise<void>;
}

/**
 * Restores a backup of {@link backUpDatabase} into the place of a database that no server uses.
 *
 * @returns the path of the former SQLite database; `null` when there was none
 * @throws TillgateError `STATE_CONFLICT` when a server is running, the place is not empty, or the file is no such backup
 */
export async function restoreDatabase<Database extends InspectedDatabase>(
  database: Database,
  file: string,
  { environment, logger, replace, prepare }: RestoreDeps<Database>,
): Promise<string | null> {
  requireBackupOf(engineOf(database), file);
  if (database.client === 'pg') {
    if (!(await isEmptyPg(database, logger)))
      throw new TillgateError(
        'STATE_CONFLICT',
        'The database has tables already: restore into an empty one (dropdb and createdb, or another name in the settings).',
      );
    await loadPg(database, file, environment);
    await prepare(database);
    return null;
  }
  makeFolder(database.filename);
  const lock = await acquireServerLock(database).catch((error: unknown) => {
    if (!isTillgateError(error) || error.details.reason !== SERVER_RUNNING) throw error;
    throw new TillgateError('STATE_CONFLICT', 'A server is running on this database: stop it first.', {}, error);
  });
  try {
    if (!replace && !isEmptySqlite(database))
      throw new TillgateError(
        'STATE_CONFLICT',
        `There is a database already: ${database.filename}. With --replace it is kept under another name.`,
      );
    return await placeSqlite(file, database, (copy) => prepare({ ...database, filename: copy.filename }));
  } finally {
    await lock.release();
  }
}

function requireBackupOf(engine: Engine, file: string): void {
  const found = (Object.keys(SIGNATURES) as Engine[]).find((each) => beginsWith(file, SIGNATURES[each]));
  if (found === engine) return;
  const names = { sqlite: 'SQLite', pg: 'PostgreSQL' } as const;
  throw new TillgateError(
    'STATE_CONFLICT',
    found === undefined
      ? `${file} is no backup of a till.`
      : `${file} is a backup of ${names[found]}, and the setting database is ${names[engine]}.`,
  );
}

function beginsWith(file: string, signature: string): boolean {
  const handle = openFile(file);
  try {
    const bytes = Buffer.alloc(signature.length);
    readSync(handle, bytes, 0, bytes.length, 0);
    return bytes.toString('latin1') === signature;
  } finally {
    closeSync(handle);
  }
}

function openFile(file: string): number {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new TillgateError('NOT_FOUND', `There is no file ${file}.`);
  }
}
