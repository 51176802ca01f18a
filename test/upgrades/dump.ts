import { execFileSync } from 'node:child_process';
import pg from 'pg';
import sqlite3 from 'sqlite3';
import type { TestStorage } from '../support/storage.ts';

type Sql = TestStorage['sql'];

const names = async (sql: Sql, query: string): Promise<readonly string[]> =>
  (await sql(query)).map((row) => String(row['sql'] ?? row['name']));

/** Statements that make an SQLite database again. Literals are SQLite's own: its driver would round large numbers. */
export async function dumpSqlite(sql: Sql): Promise<string> {
  const made = (type: string): Promise<readonly string[]> =>
    names(
      sql,
      `SELECT sql FROM sqlite_master WHERE type = '${type}' AND sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid`,
    );
  const tables = await names(
    sql,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND (name NOT LIKE 'sqlite_%' OR name = 'sqlite_sequence') ORDER BY rowid",
  );
  const rows: string[] = [];
  for (const table of tables) rows.push(...(await rowsOf(sql, table)));
  return [
    ...(await made('table')),
    ...rows,
    ...(await made('index')),
    ...(await made('view')),
    ...(await made('trigger')),
  ]
    .map((statement) => `${statement};\n`)
    .join('');
}

async function rowsOf(sql: Sql, table: string): Promise<readonly string[]> {
  const columns = await names(sql, `SELECT name FROM pragma_table_info('${table}')`);
  const values = columns.map((column) => `quote("${column}")`).join(" || ', ' || ");
  return names(
    sql,
    `SELECT 'INSERT INTO ${table} (${columns.join(', ')}) VALUES (' || ${values} || ')' AS sql FROM "${table}"`,
  );
}

/** The settings of a session, which are pg_dump's own; `check_function_bodies` lets functions come before their tables. */
const KEPT_SETTING = 'SET check_function_bodies = false;';

/** The same of a PostgreSQL database, by `pg_dump` (or the program that PG_DUMP names), which must not be older than the server. */
export function dumpPostgres(url: string): string {
  const program = process.env['PG_DUMP'] ?? 'pg_dump';
  const text = execFileSync(program, ['--inserts', '--column-inserts', '--no-owner', '--no-privileges', url], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const lines = text.split('\n').filter((line) => !/^(--.*|\\.*|SET .*|SELECT pg_catalog\.set_config.*|)$/.test(line));
  return `${[KEPT_SETTING, ...lines].join('\n')}\n`;
}

/** Runs a dump in an empty database file. */
export async function loadSqlite(filename: string, dump: string): Promise<void> {
  const database = new sqlite3.Database(filename);
  await new Promise<void>((resolve, reject) => {
    database.exec(`BEGIN;\n${dump}COMMIT;`, (error) => (error === null ? resolve() : reject(error)));
  });
  await new Promise<void>((resolve) => database.close(() => resolve()));
}

/** The same in an empty PostgreSQL database. */
export async function loadPostgres(url: string, dump: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(dump);
  } finally {
    await client.end();
  }
}
