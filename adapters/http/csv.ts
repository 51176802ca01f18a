import { z } from 'zod';

/** A cell that begins like this is run as a formula by a spreadsheet. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

export const CSV_TYPE = 'text/csv; charset=utf-8';

/**
 * The pattern of a plain decimal that may be negative. Cells of such a column are numbers, so `-1.5` is not a formula.
 */
export const SIGNED_DECIMAL = '^-?\\d+(\\.\\d+)?$';
const NUMBER = new RegExp(SIGNED_DECIMAL);

/** The value of a cell. An object is written as its JSON text, `null` as an empty cell. */
type Cell = string | number | boolean | object | null;

/** Writes records of one schema as comma-separated values (RFC 4180). */
export interface CsvTable<R> {
  /** The header line: the names of the record's fields. */
  readonly header: string;
  /** One line for each record. */
  lines(records: readonly R[]): string;
}

/**
 * The CSV table of a schema. Text that a spreadsheet would run as a formula gets an apostrophe in front, except plain
 * decimals in columns of {@link SIGNED_DECIMAL}.
 */
export function csvTable<S extends z.ZodRawShape>(schema: z.ZodObject<S>): CsvTable<z.input<z.ZodObject<S>>> {
  const columns = columnsOf(schema.shape);
  return {
    header: lineOf(columns.map(({ name }) => cell(name, false))),
    lines: (records) =>
      records.map((record) => lineOf(columns.map(({ path, signed }) => cell(valueAt(record, path), signed)))).join(''),
  };
}

interface Column {
  readonly name: string;
  readonly path: readonly string[];
  readonly signed: boolean;
}

/** A column for each field; a nested record has one for each of its fields: `payment_chain`. */
function columnsOf(shape: z.ZodRawShape, parents: readonly string[] = []): readonly Column[] {
  return Object.entries(shape).flatMap(([name, field]): readonly Column[] => {
    const path = [...parents, name];
    const inner = field instanceof z.ZodNullable ? field.unwrap() : field;
    if (inner instanceof z.ZodObject) return columnsOf(inner.shape, path);
    return [{ name: path.join('_'), path, signed: (field as z.ZodType).meta()?.['pattern'] === SIGNED_DECIMAL }];
  });
}

function valueAt(record: object, path: readonly string[]): Cell {
  const read = (value: Cell, name: string): Cell =>
    value === null ? null : ((value as Readonly<Record<string, Cell>>)[name] ?? null);
  return path.reduce<Cell>(read, record);
}

const lineOf = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;

function cell(value: Cell, signed: boolean): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const plain = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const text = FORMULA.test(plain) && !(signed && NUMBER.test(plain)) ? `'${plain}` : plain;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
