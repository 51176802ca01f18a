import { names } from '../rows/columns.ts';
import type { Column } from '../rows/columns.ts';
import type { ListInsertion } from './dialect.ts';

/** What a backslash must stand before in a quoted element. */
const SPECIAL = /["\\]/g;

/** An array as PostgreSQL reads it from text. Written here, since the layers between look at every element again. */
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

/** One array for each column, so that the statement is the same for any number of records. */
export function insertListPg<T>(table: string, columns: readonly Column<T>[], records: readonly T[]): ListInsertion {
  const arrays = columns.map(({ kind }) => `?::${kind}[]`).join(', ');
  return {
    sql: `INSERT INTO ${table} (${names(columns)}) SELECT * FROM unnest(${arrays}) WHERE true`,
    bindings: columns.map(({ of }) => arrayText(records, of)),
  };
}
