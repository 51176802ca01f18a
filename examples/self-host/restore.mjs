// Replaces the server's database by a backup and keeps the old file beside it. The server must be stopped. The marker beside the
// database stays: from it the till detects the restore, gives out no address twice, and pays nothing before you have decided.
//
//   node examples/self-host/restore.mjs backups/2026-05-04.db data/tillgate.db

import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { open } from './sqlite.mjs';

const [backup, target] = process.argv.slice(2);
if (backup === undefined || target === undefined) throw new Error('usage: node restore.mjs BACKUP DATABASE');
if (!existsSync(backup)) throw new Error(`There is no ${backup}.`);
process.umask(0o077);
mkdirSync(dirname(target), { recursive: true, mode: 0o700 });

// The lock of a running server.
const lock = open(`${target}.server-lock`);
try {
  await lock.all('PRAGMA busy_timeout = 0');
  await lock.all('BEGIN EXCLUSIVE');
} catch {
  await lock.close();
  throw new Error('A till is running on this database: stop it first.');
}

try {
  const former = `${target}.before-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  // The write-ahead log belongs to the old file: left here, it would be applied to the restored one.
  for (const part of ['', '-wal', '-shm']) if (existsSync(target + part)) renameSync(target + part, former + part);
  copyFileSync(backup, `${target}.restoring`);
  chmodSync(`${target}.restoring`, 0o600);
  renameSync(`${target}.restoring`, target);
} finally {
  await lock.close();
}
console.log(
  `${backup} is restored to ${target}. Start the till, then decide: restore status, restore confirm, withdrawal list.`,
);
