import type { Row } from '../dialects/dialect.ts';

/** Readers of single columns: drivers give numbers as numbers or digit strings, flags as booleans or 0 and 1. */
export const text = (row: Row, column: string): string => row[column] as string;
export const textOrNull = (row: Row, column: string): string | null => (row[column] ?? null) as string | null;
export const integer = (row: Row, column: string): number => Number(row[column]);
export const integerOrNull = (row: Row, column: string): number | null =>
  row[column] == null ? null : Number(row[column]);
export const flag = (row: Row, column: string): boolean => row[column] === true || row[column] === 1;

/** Money: whole units in TEXT or NUMERIC(78,0), never through a double. */
export const units = (row: Row, column: string): bigint => BigInt(row[column] as string);
export const unitsOrNull = (row: Row, column: string): bigint | null =>
  row[column] == null ? null : units(row, column);

const PART_DIGITS = 12n;

/**
 * Money that was summed in parts (see `Dialect.sumParts`), from columns of this name followed by the part's position.
 */
export function unitsOfParts(row: Row, name: string): bigint {
  let sum = 0n;
  for (let part = 0; row[`${name}${part}`] !== undefined; part++)
    sum += BigInt(text(row, `${name}${part}`)) * 10n ** (PART_DIGITS * BigInt(part));
  return sum;
}

/** A JSON document kept as text. */
export const json = <T>(row: Row, column: string): T => JSON.parse(row[column] as string) as T;
export const jsonOrNull = <T>(row: Row, column: string): T | null =>
  row[column] == null ? null : json<T>(row, column);
/** A value as a column of JSON stores it. */
export const jsonOf = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));
