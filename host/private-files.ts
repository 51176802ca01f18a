import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** An SQLite file and what belongs to it, which nobody else on the machine reads: password hashes, addresses, orders. */
export function makePrivate(filename: string): void {
  mkdirSync(dirname(filename), { recursive: true, mode: 0o700 });
  // What SQLite makes beside a file takes that file's rights.
  for (const made of [filename, `${filename}.server-lock`]) closeSync(openSync(made, 'a', 0o600));
  for (const part of ['', '.server-lock', '-wal', '-shm'])
    if (existsSync(filename + part)) chmodSync(filename + part, 0o600);
}
