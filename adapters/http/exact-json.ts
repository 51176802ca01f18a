import { assert, formatUnits, present, readDecimal, roundUnits } from '../../core/index.ts';
import { z } from 'zod';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const EXACT_NUMBERS = new WeakSet<z.ZodType>();

/**
 * A field that records hold as decimal text and that their JSON has as a number of exactly those digits. The schema's
 * input is the text, its output is the number that a client reads.
 */
export function exactNumber(documented: Readonly<Record<string, unknown>>) {
  const schema = z.string().transform(Number).meta(documented);
  EXACT_NUMBERS.add(schema);
  return schema;
}

/** The names of the {@link exactNumber} fields of a record's schema, or of the records of a list's schema. */
export function exactNumbersOf(schema: z.ZodType): readonly string[] {
  if (schema instanceof z.ZodReadonly) return exactNumbersOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodArray) return exactNumbersOf(schema.element as z.ZodType);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>).flatMap(([name, field]) =>
    EXACT_NUMBERS.has(field) ? [name] : [],
  );
}

/**
 * Writes a flat record as JSON. The named fields hold plain decimals as text and become numbers of exactly those
 * digits, which a double would round.
 */
export function writeRecord(record: Readonly<Record<string, unknown>>, numberFields: readonly string[]): string {
  let text = JSON.stringify(record);
  for (const name of numberFields) {
    const digits = record[name];
    assert(typeof digits === 'string' && JSON_NUMBER.test(digits), `${name} is not a plain decimal`);
    // Quotes inside values are escaped, so this text can match only the member itself.
    text = text.replace(`"${name}":"${digits}"`, `"${name}":${digits}`);
  }
  return text;
}

/** The most decimals of a JSON number that a double holds exactly. */
const NUMBER_DECIMALS = 8;
const NUMBER_DIGITS = 15;

/** A plain decimal as a JSON number, rounded down so that it never overstates an amount. */
export function roundedDown(decimal: string): string {
  const { digits, scale } = present(readDecimal(decimal), 'a plain decimal');
  return formatUnits(roundUnits(digits, scale, NUMBER_DECIMALS, NUMBER_DIGITS, 'down'), scale);
}
