import { chmodSync, closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a SQLite file and its companions readable by its owner only: they hold password hashes, addresses and orders.
 */
export function makePrivate(filename: string): void {
  mkdirSync(dirname(filename), { recursive: true, mode: 0o700 });
  // The files that SQLite creates beside a database take its permissions.
  for (const made of [filename, `${filename}.server-lock`]) closeSync(openSync(made, 'a', 0o600));
  for (const part of ['', '.server-lock', '-wal', '-shm'])
    if (existsSync(filename + part)) chmodSync(filename + part, 0o600);
}

/**
 * Writes a file that only its owner can read, unless there is one already. Another process sees the whole content or no
 * file, and what it has seen outlives a crash of the machine.
 */
export function writeOnce(path: string, content: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  const file = openSync(draft, 'w', 0o600);
  writeSync(file, content);
  fsyncSync(file);
  closeSync(file);
  try {
    linkSync(draft, path);
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  rmSync(draft);
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
