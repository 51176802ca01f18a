import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
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
