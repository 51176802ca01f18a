import { names } from '../rows/columns.ts';
import type { Column } from '../rows/columns.ts';

/**
 * The records of a list that {@link listOf} made, each as `value`. SQLite writes the text of an element of `json_each` anew wherever
 * it is named, which takes a few times as long as reading all columns from it; a sorted query keeps the text.
 */
export const recordsIn = (list: string): string =>
  `(SELECT key, value FROM json_each(${list}) ORDER BY key LIMIT -1) AS record`;

/**
 * Inserts any number of records, bound as one list (see {@link listOf}), because drivers are slow for each bound
 * value.
 */
export function insertionOf<T>(
  table: string,
  columns: readonly Column<T>[],
  more: readonly { readonly name: string; readonly sql: string }[] = [],
): string {
  const values = [...columns.map((_, index) => `value ->> ${index}`), ...more.map(({ sql }) => sql)];
  return `INSERT INTO ${table} (${names([...columns, ...more])}) SELECT ${values.join(', ')} FROM ${recordsIn('?')}`;
}

/** The records as one bound value. */
export function listOf<T>(columns: readonly Column<T>[], records: readonly T[]): string {
  return JSON.stringify(records.map((record) => columns.map(({ of }) => of(record))));
}
