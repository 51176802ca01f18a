import { chmodSync, copyFileSync, existsSync, linkSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import knex from 'knex';
import { TillgateError } from '../../../../core/index.ts';
import type { Run } from '../dialects/dialect.ts';
import { sqliteClient } from '../drivers/sqlite-client.ts';
import type { SqliteConfig } from '../drivers/sqlite-client.ts';
import { wordsOf } from '../errors.ts';
import { flush, removeDatabaseFile } from './new-file.ts';

/** How long a statement waits for the server that writes at the same time. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Copies a database into an empty file while a server may be writing to it: the state of one moment, checked.
 *
 * @throws TillgateError `NOT_FOUND` when there is no database; `NOT_READY` when it cannot be read or the copy cannot be written
 */
export async function copySqlite(database: SqliteConfig, file: string): Promise<void> {
  if (!existsSync(database.filename))
    throw new TillgateError('NOT_FOUND', `There is no database at ${database.filename}.`);
  await withStatements(database, async (run) => {
    await run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // Reads one state of the database while others continue to write.
    await run('VACUUM INTO ?', [file]);
  });
  await checkSqlite({ ...database, filename: file });
}

/** @throws TillgateError `STATE_CONFLICT` for a file that is damaged, or is not the database of a till */
export async function checkSqlite(database: SqliteConfig): Promise<void> {
  const problem = await withStatements(database, async (run) => {
    const [row] = await run('PRAGMA integrity_check');
    const found = String(row?.['integrity_check']);
    if (found !== 'ok') return `is damaged: ${found}`;
    const tables = await run(`SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'`);
    return tables.length === 0 ? 'is not the database of a till' : null;
  });
  if (problem !== null) throw new TillgateError('STATE_CONFLICT', `${database.filename} ${problem}.`);
}

/** Whether there is nothing at the place of a database. */
export function isEmptySqlite({ filename }: SqliteConfig): boolean {
  return PARTS.every((part) => !existsSync(filename + part) || statSync(filename + part).size === 0);
}

const PARTS = ['', '-wal', '-shm'];

/**
 * Puts a backup into the place of a database that no server uses. The database that was there, if any, is kept beside
 * it. Killed at any line there is either the former database or the backup.
 *
 * @param prepare - completes the copy before it is put into place
 * @returns the path of the former database; `null` when there was none
 */
export async function placeSqlite(
  backup: string,
  database: SqliteConfig,
  prepare: (copy: SqliteConfig) => Promise<void>,
): Promise<string | null> {
  const { filename } = database;
  const copy = { ...database, filename: `${filename}.restoring` };
  removeRestoring(copy.filename);
  try {
    copyFileSync(backup, copy.filename);
    chmodSync(copy.filename, 0o600);
    await checkSqlite(copy);
    await prepare(copy);
    // Everything into the one file that is renamed.
    await withStatements(copy, (run) => run('PRAGMA journal_mode = DELETE'));
    flush(copy.filename);
    const former = isEmptySqlite(database) ? null : keepFormer(filename);
    renameSync(copy.filename, filename);
    flush(dirname(filename));
    return former;
  } finally {
    removeRestoring(copy.filename);
  }
}

function removeRestoring(filename: string): void {
  removeDatabaseFile(filename);
  removeDatabaseFile(`${filename}.server-lock`);
}

/** Gives the former database a second name. Its write-ahead log would otherwise be applied to the restored one. */
function keepFormer(filename: string): string {
  const former = `${filename}.before-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  if (existsSync(filename)) linkSync(filename, former);
  for (const part of PARTS.slice(1)) if (existsSync(filename + part)) renameSync(filename + part, former + part);
  return former;
}

async function withStatements<T>(database: SqliteConfig, work: (run: Run) => Promise<T>): Promise<T> {
  const { settings, dialect } = sqliteClient(database);
  const connection = knex({ ...settings, pool: { min: 1, max: 1 }, compileSqlOnError: false });
  try {
    return await work(async (sql, bindings = []) => dialect.rowsOf(await connection.raw(sql, bindings as string[])));
  } catch (error) {
    const { kind, code } = dialect.classify(error);
    if (kind !== 'unavailable' && code !== 'SQLITE_ERROR') throw error;
    throw new TillgateError('NOT_READY', `${database.filename}: ${wordsOf(error)}`, {}, error);
  } finally {
    await connection.destroy();
  }
}
