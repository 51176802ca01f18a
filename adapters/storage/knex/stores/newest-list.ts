import type { NewestQuery } from '../../../../core/index.ts';
import type { Binding } from '../binding.ts';
import { allOf } from './range-list.ts';
import type { Sql } from './range-list.ts';

/** A list of records that is sorted by id. */
export interface NewestList {
  readonly table: string;
  readonly columns: string;
  /** The value that each of these columns must have; `null` for any. */
  readonly equal?: Readonly<Record<string, Binding>>;
  /** A condition of every record. */
  readonly only?: string;
  /** Another one, which has no index. */
  readonly matching?: Sql | null;
}

/**
 * The statement of a part of a list, newest (highest id) first. Each filter has an index that ends with the id, so
 * nothing is sorted or counted.
 */
export function newestSql(
  { table, columns, equal = {}, only, matching = null }: NewestList,
  { before, limit }: NewestQuery,
): Sql {
  const conditions: Sql[] = [
    ...(only === undefined ? [] : [{ sql: only, bindings: [] }]),
    ...Object.entries(equal).flatMap(([column, value]) =>
      value === null ? [] : [{ sql: `${column} = ?`, bindings: [value] }],
    ),
    ...(matching === null ? [] : [matching]),
    ...(before === null ? [] : [{ sql: 'id < ?', bindings: [before] }]),
  ];
  const { sql, bindings } = allOf(conditions);
  const where = conditions.length === 0 ? '' : `WHERE ${sql}`;
  return { sql: `SELECT ${columns} FROM ${table} ${where} ORDER BY id DESC LIMIT ?`, bindings: [...bindings, limit] };
}
