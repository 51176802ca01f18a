import { assert } from '../../core/index.ts';

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
