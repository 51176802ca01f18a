import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Writes a file that only its owner reads, unless it is there: whole or not at all, also when the process is killed. Folders that
 * are missing are made for their owner alone.
 *
 * @returns false when there is a file of this name, which stays as it is
 */
export function writeOnce(path: string, text: string): boolean {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const prefix = `.${basename(path)}.part-`;
  // What a killed run left was never used.
  for (const name of readdirSync(folder).filter((each) => each.startsWith(prefix))) rmSync(join(folder, name));
  const part = join(folder, `${prefix}${randomBytes(6).toString('hex')}`);
  try {
    writeDurably(part, text);
    // A link, unlike a renaming, never replaces a file.
    linkSync(part, path);
    syncFolder(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(part, { force: true });
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
