import { assert } from '../../core/index.ts';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Writes a flat record as JSON, and the named fields, which hold plain decimals as text, as numbers of exactly those
 * digits: no double stands between the stored amount and the wire.
 */
export function writeRecord(record: object, numberFields: ReadonlySet<string>): string {
  let text = '';
  for (const [name, value] of Object.entries(record) as [string, unknown][]) {
    text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:${numberFields.has(name) ? exactNumber(value) : JSON.stringify(value)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

function exactNumber(value: unknown): string {
  assert(typeof value === 'string' && JSON_NUMBER.test(value), 'a number field holds no plain decimal');
  return value;
}
