import { names } from '../rows/columns.ts';
import type { Column } from '../rows/columns.ts';
import type { ListInsertion } from './dialect.ts';

/** Characters that need a backslash in a quoted element. */
const SPECIAL = /["\\]/g;

/**
 * A PostgreSQL array literal. It is built here, because knex and pg would process each element again. Records of a
 * batch often have the same value in a column, so consecutive equal values are converted once.
 */
export function arrayText<T>(records: readonly T[], of: Column<T>['of']): string {
  const elements: string[] = [];
  let former: ReturnType<Column<T>['of']> | undefined;
  let element = '';
  for (const record of records) {
    const value = of(record);
    if (value !== former) element = elementText(value);
    former = value;
    elements.push(element);
  }
  return `{${elements.join(',')}}`;
}

function elementText(value: string | number | boolean | null): string {
  if (typeof value === 'string') return `"${value.replaceAll(SPECIAL, '\\$&')}"`;
  return value === null ? 'NULL' : String(value);
}

/** One array for each column, so that one statement serves any number of records. */
export function insertListPg<T>(table: string, columns: readonly Column<T>[], records: readonly T[]): ListInsertion {
  const arrays = columns.map(({ kind }) => `?::${kind}[]`).join(', ');
  return {
    sql: `INSERT INTO ${table} (${names(columns)}) SELECT * FROM unnest(${arrays}) WHERE true`,
    bindings: columns.map(({ of }) => arrayText(records, of)),
  };
}
