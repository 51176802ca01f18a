import type { AccountId, PageRequest } from '../../../../core/index.ts';
import type { Database } from '../database.ts';
import type { Binding } from '../binding.ts';
import type { Row } from '../dialects/dialect.ts';
import { names } from '../rows/columns.ts';
import { integer } from '../rows/values.ts';

/** False for text that no row can contain: PostgreSQL refuses NUL. */
export const isStorable = (value: string): boolean => !value.includes('\0');

/** A table whose rows are numbered densely for each account, and its counter. */
export interface NumberedTable {
  readonly table: string;
  readonly counters: string;
  readonly counter: string;
  readonly columns: readonly { readonly name: string }[];
}

/**
 * A page of an account's rows, newest first, with the exact total. One statement, so that both are consistent; the page
 * is an index range of numbers, so its cost does not depend on its distance from the newest row.
 */
export async function numberedPage(
  db: Database,
  { table, counters, counter, columns }: NumberedTable,
  accountId: AccountId,
  { page, size }: PageRequest,
): Promise<{ total: number; rows: readonly Row[] }> {
  const rows = await db.read(
    `SELECT c.last AS total, ${names(columns, 'r.')} FROM ${counters} c
     LEFT JOIN ${table} r ON r.account_id = c.account_id AND r.number > c.last - ? AND r.number <= c.last - ?
     WHERE c.account_id = ? AND c.counter = '${counter}' ORDER BY r.number DESC`,
    [page * size, (page - 1) * size, accountId],
  );
  const [first] = rows;
  return {
    total: first === undefined ? 0 : integer(first, 'total'),
    rows: rows.filter((row) => row['number'] !== null),
  };
}

/** The number of rows that have this value in each of these columns. */
export async function countOf(db: Database, table: string, equal: Readonly<Record<string, string>>): Promise<number> {
  const where = Object.keys(equal).map((column) => `${column} = ?`);
  const sql = `SELECT count(*) AS total FROM ${table} WHERE ${where.join(' AND ')}`;
  const [row] = await db.read(sql, Object.values(equal));
  return row === undefined ? 0 : integer(row, 'total');
}

/** Deletes up to `limit` rows; returns how many. Rows locked by another instance are skipped. */
export async function deleteSome(
  db: Database,
  table: string,
  key: readonly string[],
  where: string,
  bindings: readonly Binding[],
  limit: number,
): Promise<number> {
  const columns = key.join(', ');
  const rows = await db.write(
    `WITH doomed AS (SELECT ${columns} FROM ${table} WHERE ${where} LIMIT ? ${db.dialect.forUpdateSkipLocked})
     DELETE FROM ${table} WHERE (${columns}) IN (SELECT ${columns} FROM doomed) RETURNING 1 AS gone`,
    [...bindings, limit],
  );
  return rows.length;
}
