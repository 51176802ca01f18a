import type { Binding } from '../binding.ts';

/** Column types that PostgreSQL cannot infer. */
type Kind = 'text' | 'numeric' | 'bigint' | 'boolean';

/** A column, and the value of a record in it. */
export interface Column<T> {
  readonly name: string;
  readonly kind: Kind;
  readonly of: (record: T) => string | number | boolean | null;
}

/** The columns' names, comma-separated, each with a prefix where one is given (`o.`). */
export function names(columns: readonly { readonly name: string }[], prefix = ''): string {
  return columns.map(({ name }) => `${prefix}${name}`).join(', ');
}

/** `INSERT INTO … VALUES …` of several records, as one statement. */
export function insertion<T>(
  table: string,
  columns: readonly Column<T>[],
  records: readonly T[],
): { sql: string; bindings: Binding[] } {
  const marks = `(${columns.map(() => '?').join(', ')})`;
  return {
    sql: `INSERT INTO ${table} (${names(columns)}) VALUES ${records.map(() => marks).join(', ')}`,
    bindings: records.flatMap((record) => columns.map(({ of }) => of(record))),
  };
}

/** The columns of one field that may change. */
export type Change = readonly (readonly [column: string, value: Binding])[];

/** `SET` of the given changes. */
export function assignments(changes: Change): { sql: string; bindings: Binding[] } {
  return { sql: changes.map(([column]) => `${column} = ?`).join(', '), bindings: changes.map(([, value]) => value) };
}

/** Splits a long list into parts that fit one statement. */
export function* parts<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}
