import { names } from '../rows/columns.ts';
import type { Column } from '../rows/columns.ts';
import type { ListInsertion } from './dialect.ts';

/** Characters that need a backslash in a quoted element. */
const SPECIAL = /["\\]/g;

/** A PostgreSQL array literal. Built here, because knex and pg would process each element again. */
export function arrayText<T>(records: readonly T[], of: Column<T>['of']): string {
  let text = '';
  for (const record of records) {
    const value = of(record);
    text += text === '' ? '{' : ',';
    if (typeof value === 'string') text += `"${value.replaceAll(SPECIAL, '\\$&')}"`;
    else text += value === null ? 'NULL' : String(value);
  }
  return text === '' ? '{}' : `${text}}`;
}

/** One array for each column, so that one statement serves any number of records. */
export function insertListPg<T>(table: string, columns: readonly Column<T>[], records: readonly T[]): ListInsertion {
  const arrays = columns.map(({ kind }) => `?::${kind}[]`).join(', ');
  return {
    sql: `INSERT INTO ${table} (${names(columns)}) SELECT * FROM unnest(${arrays}) WHERE true`,
    bindings: columns.map(({ of }) => arrayText(records, of)),
  };
}
