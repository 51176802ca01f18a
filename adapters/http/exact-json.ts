import { assert, formatUnits, present, readDecimal, roundUnits } from '../../core/index.ts';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Writes a flat record as JSON, and the named fields, which hold plain decimals as text, as numbers of exactly those
 * digits: no double stands between the stored amount and the wire.
 */
export function writeRecord(record: Readonly<Record<string, unknown>>, numberFields: readonly string[]): string {
  let text = JSON.stringify(record);
  for (const name of numberFields) {
    const digits = record[name];
    assert(typeof digits === 'string' && JSON_NUMBER.test(digits), `${name} holds no plain decimal`);
    // Quotes inside of values are escaped: this text can only be the member itself.
    text = text.replace(`"${name}":"${digits}"`, `"${name}":${digits}`);
  }
  return text;
}

/** What a JSON number of this API has at most, so that it is exact as a double (decisions, section 2). */
const NUMBER_DECIMALS = 8;
const NUMBER_DIGITS = 15;

/** A plain decimal as a JSON number may tell it: rounded down, so that nothing is told that is not there (decisions, section 5). */
export function roundedDown(decimal: string): string {
  const { digits, scale } = present(readDecimal(decimal), 'a plain decimal');
  return formatUnits(roundUnits(digits, scale, NUMBER_DECIMALS, NUMBER_DIGITS, 'down'), scale);
}
