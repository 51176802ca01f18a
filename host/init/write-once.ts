import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Creates a file that only its owner can read, atomically even when the process is killed. Missing folders are created
 * for their owner only.
 *
 * @returns false when the file exists; it stays unchanged
 */
export function writeOnce(path: string, text: string): boolean {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const prefix = `.${basename(path)}.part-`;
  // Temporary files of a killed run were never used.
  for (const name of readdirSync(folder).filter((each) => each.startsWith(prefix))) rmSync(join(folder, name));
  const part = join(folder, `${prefix}${randomBytes(6).toString('hex')}`);
  try {
    writeDurably(part, text);
    // A link, unlike a rename, never replaces a file.
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
