// Copies the database of a running server into a file: a consistent state, checked, readable by its owner only. The marker beside
// the database is not copied: by it the till notices that a backup was restored.
//
//   node examples/self-host/backup.mjs data/tillgate.db backups/2026-05-04.db

import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { open } from './sqlite.mjs';

const [source, target] = process.argv.slice(2);
if (source === undefined || target === undefined) throw new Error('usage: node backup.mjs DATABASE BACKUP');
if (!existsSync(source)) throw new Error(`There is no ${source}.`);
if (existsSync(target)) throw new Error(`${target} is there already; a backup is never written over another.`);

const unfinished = `${target}.unfinished`;
process.umask(0o077);
mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
rmSync(unfinished, { force: true });

const live = open(source);
try {
  await live.all('PRAGMA busy_timeout = 10000');
  // Reads a consistent state of the database while the server continues to write.
  await live.all('VACUUM INTO ?', [unfinished]);
} finally {
  await live.close();
}

const copy = open(unfinished);
const [row] = await copy.all('PRAGMA integrity_check').finally(() => copy.close());
if (row?.integrity_check !== 'ok') throw new Error(`The copy is damaged: ${row?.integrity_check}`);
chmodSync(unfinished, 0o600);
// The rename comes last, so a file under its final name is always complete.
renameSync(unfinished, target);
console.log(`${source} is in ${target}`);
