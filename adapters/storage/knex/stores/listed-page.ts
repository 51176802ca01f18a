import { pageOf } from '../../../../core/index.ts';
import type { Page, PageRequest } from '../../../../core/index.ts';
import type { Database } from '../database.ts';
import type { Binding } from '../binding.ts';
import type { Row } from '../dialects/dialect.ts';
import { integer } from '../rows/values.ts';

interface Equality {
  readonly column: string;
  readonly value: string;
}

/** The query of a page. */
export interface Listed<T> {
  readonly table: string;
  /** The page's columns, the id among them. */
  readonly columns: string;
  /** The equality filter, or several that all apply; `null` for all rows. */
  readonly where: Equality | readonly Equality[] | null;
  /** Joined to the page only, not to the count. */
  readonly join?: string;
  readonly of: (row: Row) => T;
}

/** A page of rows, newest (highest id) first, with the exact total: one statement, so that both are consistent. */
export async function listedPage<T>(
  db: Database,
  { table, columns, where, join = '', of }: Listed<T>,
  page: PageRequest,
): Promise<Page<T>> {
  const equal = where === null ? [] : [where].flat();
  const filter = equal.length === 0 ? '' : `WHERE ${equal.map(({ column }) => `${column} = ?`).join(' AND ')}`;
  const bindings: Binding[] = equal.map(({ value }) => value);
  const rows = await db.read(
    `SELECT counted.total, page.* FROM (SELECT count(*) AS total FROM ${table} ${filter}) counted
     LEFT JOIN (SELECT ${columns} FROM (SELECT * FROM ${table} ${filter} ORDER BY id DESC LIMIT ? OFFSET ?) listed ${join}) page ON 1 = 1
     ORDER BY page.id DESC`,
    [...bindings, ...bindings, page.size, (page.page - 1) * page.size],
  );
  const [first] = rows;
  return pageOf(
    page,
    first === undefined ? 0 : integer(first, 'total'),
    rows.filter((row) => row['id'] !== null).map(of),
  );
}
