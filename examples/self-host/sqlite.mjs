// Opens a SQLite file as the till does: by the package sqlite3 where it loads, otherwise by node:sqlite.

import knex from 'knex';

const loads = await import('sqlite3').then(
  () => true,
  () => false,
);

/** @returns a connection: `all` runs one statement and resolves to its rows */
export function open(filename) {
  if (loads) {
    const db = knex({ client: 'sqlite3', connection: { filename }, useNullAsDefault: true, pool: { min: 1, max: 1 } });
    return { all: (sql, values = []) => db.raw(sql, values), close: () => db.destroy() };
  }
  const sqlite = process.getBuiltinModule?.('node:sqlite');
  if (sqlite === undefined)
    throw new Error('There is no driver for SQLite: run "npm install sqlite3", or use Node 22.22.3, 24.15 or later.');
  const db = new sqlite.DatabaseSync(filename);
  return { all: async (sql, values = []) => db.prepare(sql).all(...values), close: async () => db.close() };
}
