import type { Row } from '../dialects/dialect.ts';
import type { Change, Column } from './columns.ts';
import * as values from './values.ts';

type Value = string | number | boolean | null;

/** The storage of one field of a record: the columns that it fills, and how it is read from them. */
export interface StoredField<T> {
  readonly columns: readonly Column<T>[];
  read(row: Row): T;
}

/** Every field of a record, so that a field without a column does not compile. The order is that of the columns. */
export type StoredFields<T> = { readonly [Field in keyof T]-?: StoredField<T[Field]> };

function single<T>(
  name: string,
  kind: Column<T>['kind'],
  of: (value: T) => Value,
  read: (row: Row, column: string) => unknown,
): StoredField<T> {
  return { columns: [{ name, kind, of }], read: (row) => read(row, name) as T };
}

export const textField = <T extends string>(name: string) => single<T>(name, 'text', (value) => value, values.text);
export const textOrNullField = <T extends string>(name: string) =>
  single<T | null>(name, 'text', (value) => value, values.textOrNull);
export const integerField = (name: string) => single<number>(name, 'bigint', (value) => value, values.integer);
export const integerOrNullField = (name: string) =>
  single<number | null>(name, 'bigint', (value) => value, values.integerOrNull);
export const flagField = (name: string) => single<boolean>(name, 'boolean', (value) => value, values.flag);
/** Money, as digits: no driver may round it. */
export const unitsField = (name: string) => single<bigint>(name, 'numeric', String, values.units);
export const unitsOrNullField = (name: string) =>
  single<bigint | null>(name, 'numeric', (value) => (value === null ? null : String(value)), values.unitsOrNull);
/** A JSON document as text. */
export const jsonField = <T>(name: string) => single<T>(name, 'text', (value) => JSON.stringify(value), values.json);
export const jsonOrNullField = <T>(name: string) =>
  single<T | null>(name, 'text', (value) => (value === null ? null : JSON.stringify(value)), values.jsonOrNull);

/** A record as JSON text, in a form of its own where it has values that JSON lacks. */
export const encodedField = <T, Stored>(name: string, encode: (value: T) => Stored, decode: (stored: Stored) => T) =>
  single<T>(
    name,
    'text',
    (value) => JSON.stringify(encode(value)),
    (row, column) => decode(values.json<Stored>(row, column)),
  );
export const encodedOrNullField = <T, Stored>(
  name: string,
  encode: (value: T) => Stored,
  decode: (stored: Stored) => T,
) =>
  single<T | null>(
    name,
    'text',
    (value) => (value === null ? null : JSON.stringify(encode(value))),
    (row, column) => {
      const stored = values.jsonOrNull<Stored>(row, column);
      return stored === null ? null : decode(stored);
    },
  );

/** A nested record, whose fields have columns of their own. */
export function nestedField<T extends object>(fields: StoredFields<T>): StoredField<T> {
  return { columns: columnsOf(fields), read: (row) => readFields(fields, row) };
}

/** A nested record that may be `null`: it exists where the named column is set. */
export function nestedOrNullField<T extends object>(fields: StoredFields<T>, witness: string): StoredField<T | null> {
  const columns = columnsOf(fields).map(({ name, kind, of }) => ({
    name,
    kind,
    of: (value: T | null) => (value === null ? null : of(value)),
  }));
  return { columns, read: (row) => (row[witness] == null ? null : readFields(fields, row)) };
}

/** The columns of a record; a field that is absent is stored as NULL. */
export function columnsOf<T extends object>(fields: StoredFields<T>): readonly Column<Partial<T>>[] {
  return entriesOf(fields).flatMap(([field, { columns }]) =>
    columns.map(({ name, kind, of }) => ({
      name,
      kind,
      of: ({ [field]: value }: Partial<T>) => (value === undefined ? null : of(value)),
    })),
  );
}

/** The record in a row. */
export function readFields<T extends object>(fields: StoredFields<T>, row: Row): T {
  const record: Partial<T> = {};
  for (const field in fields) record[field] = fields[field].read(row);
  return record as T;
}

/** The columns that the changed fields fill. */
export function changeOf<T extends object>(fields: StoredFields<T>, changes: Partial<T>): Change {
  return entriesOf(fields).flatMap(([field, { columns }]) => {
    const { [field]: value } = changes;
    return value === undefined ? [] : columns.map(({ name, of }) => [name, of(value)] as const);
  });
}

type Entry<T> = {
  readonly [Field in keyof T]: readonly [Field, StoredField<NonNullable<T[Field]> | T[Field]>];
}[keyof T];

const entriesOf = <T extends object>(fields: StoredFields<T>): readonly Entry<T>[] =>
  Object.entries(fields) as unknown as readonly Entry<T>[];
