import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { TillgateError } from '../../../../core/index.ts';

/** The files that SQLite makes beside a database; a backup has none. */
const COMPANIONS = ['-wal', '-shm', '-journal'];

/**
 * Makes a file that only its owner can read, whole or not at all, and never in the place of another one. Missing
 * folders are created for their owner only.
 *
 * @param write - fills the empty file whose path it gets
 * @returns the size of the file in bytes
 * @throws TillgateError `STATE_CONFLICT` when the file exists
 */
export async function writeNewFile(file: string, write: (unfinished: string) => Promise<void>): Promise<number> {
  if (existsSync(file)) throw exists(file);
  makeFolder(file);
  const unfinished = `${file}.unfinished`;
  removeDatabaseFile(unfinished);
  // It is private before anything is in it.
  closeSync(openSync(unfinished, 'wx', 0o600));
  try {
    await write(unfinished);
    flush(unfinished);
    // A link, unlike a rename, never replaces a file.
    linkSync(unfinished, file);
    flush(dirname(file));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? exists(file) : error;
  } finally {
    removeDatabaseFile(unfinished);
  }
  return statSync(file).size;
}

/** Creates the folder of a file, for its owner only, unless there is one. */
export function makeFolder(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
}

const exists = (file: string): TillgateError =>
  new TillgateError(
    'STATE_CONFLICT',
    `${file} exists already; nothing was written, because a backup never replaces a file.`,
  );

/** Removes a file, and what SQLite left beside it; that it is missing is no error. */
export function removeDatabaseFile(file: string): void {
  for (const part of ['', ...COMPANIONS]) rmSync(file + part, { force: true });
}

/** Waits until the content of a file, or the names in a folder, are on the disk. */
export function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
