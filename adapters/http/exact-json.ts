import { assert, formatUnits, present, readDecimal, roundUnits } from '../../core/index.ts';
import { z } from 'zod';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const EXACT_NUMBERS = new WeakSet<z.ZodType>();

/**
 * A field that a record holds as decimal text and that its JSON has as a number of exactly those digits: the input of
 * the schema is what is written, its output what a client reads.
 */
export function exactNumber(documented: Readonly<Record<string, unknown>>) {
  const schema = z.string().transform(Number).meta(documented);
  EXACT_NUMBERS.add(schema);
  return schema;
}

/** The fields of a record's schema, or of that of a list of records, that are an {@link exactNumber}. */
export function exactNumbersOf(schema: z.ZodType): readonly string[] {
  if (schema instanceof z.ZodReadonly) return exactNumbersOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodArray) return exactNumbersOf(schema.element as z.ZodType);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>).flatMap(([name, field]) =>
    EXACT_NUMBERS.has(field) ? [name] : [],
  );
}

/**
 * Writes a flat record as JSON, and the named fields, which hold plain decimals as text, as numbers of exactly those
 * digits: a double would round them.
 */
export function writeRecord(record: Readonly<Record<string, unknown>>, numberFields: readonly string[]): string {
  let text = JSON.stringify(record);
  for (const name of numberFields) {
    const digits = record[name];
    assert(typeof digits === 'string' && JSON_NUMBER.test(digits), `${name} holds no plain decimal`);
    // Quotes inside values are escaped, so this text can only be the member itself.
    text = text.replace(`"${name}":"${digits}"`, `"${name}":${digits}`);
  }
  return text;
}

/** The most digits of a JSON number, so that it is exact as a double (decisions, section 2). */
const NUMBER_DECIMALS = 8;
const NUMBER_DIGITS = 15;

/** A plain decimal as a JSON number, rounded down so that it never overstates the amount (decisions, section 5). */
export function roundedDown(decimal: string): string {
  const { digits, scale } = present(readDecimal(decimal), 'a plain decimal');
  return formatUnits(roundUnits(digits, scale, NUMBER_DECIMALS, NUMBER_DIGITS, 'down'), scale);
}
