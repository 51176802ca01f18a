import { names } from '../rows/columns.ts';
import type { Column } from '../rows/columns.ts';
import type { ListInsertion } from './dialect.ts';

/**
 * A PostgreSQL array literal. It is built here, because knex and pg would process each element again. Records of a
 * batch often have the same value in a column, so consecutive equal values are converted once. A column without any
 * value is an empty array: `unnest` of several arrays fills the shorter ones with NULL.
 */
export function arrayText<T>(records: readonly T[], of: Column<T>['of']): string {
  let text = '';
  let hasValue = false;
  let former: ReturnType<Column<T>['of']> | undefined;
  let element = '';
  for (const record of records) {
    const value = of(record);
    if (value !== former) {
      element = elementText(value);
      hasValue ||= value !== null;
      former = value;
    }
    text += text === '' ? element : `,${element}`;
  }
  return hasValue ? `{${text}}` : '{}';
}

/** Characters that need a backslash in a quoted element. */
const SPECIAL = /["\\]/g;

function elementText(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return value === null ? 'NULL' : String(value);
  // Most texts have none, and looking for one is faster than replacing.
  if (!value.includes('"') && !value.includes('\\')) return `"${value}"`;
  return `"${value.replaceAll(SPECIAL, '\\$&')}"`;
}

/** One array for each column, so that one statement serves any number of records. */
export function insertListPg<T>(table: string, columns: readonly Column<T>[], records: readonly T[]): ListInsertion {
  const arrays = columns.map(({ kind }) => `?::${kind}[]`).join(', ');
  return {
    sql: `INSERT INTO ${table} (${names(columns)}) SELECT * FROM unnest(${arrays}) WHERE true`,
    bindings: columns.map(({ of }) => arrayText(records, of)),
  };
}
