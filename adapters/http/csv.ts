import type { z } from 'zod';

/** What a spreadsheet takes for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

export const CSV_TYPE = 'text/csv; charset=utf-8';

/** The pattern of a plain decimal that may be below zero. A column of it is of numbers: `-1.5` there is no formula. */
export const SIGNED_DECIMAL = '^-?\\d+(\\.\\d+)?$';
const NUMBER = new RegExp(SIGNED_DECIMAL);

/** What a cell is written from: an object as its JSON text, `null` as an empty cell. */
type Cell = string | number | boolean | object | null;

/** Lines of comma-separated values (RFC 4180) of records of one schema. */
export interface CsvTable<R> {
  /** The line with the names of the columns: the fields of the record. */
  readonly header: string;
  /** The lines of these records, one for each. */
  lines(records: readonly R[]): string;
}

/**
 * The table of a schema's records. Text that a spreadsheet would run as a formula gets an apostrophe in front, but for plain
 * decimals in columns of {@link SIGNED_DECIMAL}.
 */
export function csvTable<S extends z.ZodRawShape>(schema: z.ZodObject<S>): CsvTable<z.input<z.ZodObject<S>>> {
  const columns = Object.entries(schema.shape).map(([name, field]) => ({
    name,
    signed: (field as z.ZodType).meta()?.['pattern'] === SIGNED_DECIMAL,
  }));
  return {
    header: lineOf(columns.map(({ name }) => cell(name, false))),
    lines: (records) =>
      records
        .map((record) =>
          lineOf(
            columns.map(({ name, signed }) => cell((record as Readonly<Record<string, Cell>>)[name] ?? null, signed)),
          ),
        )
        .join(''),
  };
}

const lineOf = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;

function cell(value: Cell, signed: boolean): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const plain = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const text = FORMULA.test(plain) && !(signed && NUMBER.test(plain)) ? `'${plain}` : plain;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
