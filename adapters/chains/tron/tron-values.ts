import { LosslessNumber } from 'lossless-json';
import type { Millis } from '../../../core/index.ts';
import { malformed } from '../evm/rpc-values.ts';
import { tronKey } from './tron-address.ts';

export { asArray, asObject, contradictory, inconsistent, malformed } from '../evm/rpc-values.ts';

const HASH = /^[0-9a-f]{64}$/i;
const HEX = /^(?:[0-9a-f]{2})*$/i;
/** 20 bytes, with Tron's prefix or, in logs, without it. */
const ADDRESS = /^(?:41)?([0-9a-f]{40})$/i;
const INTEGER = /^\d{1,19}$/;

/** The smallest part of a TRX: 10^-6. */
export const SUN_PER_TRX = 1_000_000n;

/** 32 bytes in lower case; nodes write them without `0x`. */
export function asHash(value: unknown, what: string): string {
  if (typeof value !== 'string' || !HASH.test(value)) throw malformed(what);
  return value.toLowerCase();
}

/** True for the text of a hash, in any case. */
export function isHash(text: string): boolean {
  return HASH.test(text);
}

/** Bytes as lower-case hexadecimal digits without `0x`. */
export function asHex(value: unknown, what: string): string {
  if (typeof value !== 'string' || !HEX.test(value)) throw malformed(what);
  return value.toLowerCase();
}

/** An address as a watch key: the 20 bytes of the key hash as 40 lower-case digits. */
export function asKey(value: unknown, what: string): string {
  const digits = typeof value === 'string' ? ADDRESS.exec(value)?.[1] : undefined;
  if (digits === undefined) throw malformed(what);
  return digits.toLowerCase();
}

/** A height or a count; nodes omit zeros. */
export function asCount(value: unknown, what: string): number {
  const count = Number(asUnits(value, what));
  if (!Number.isSafeInteger(count)) throw malformed(what);
  return count;
}

/**
 * A whole number of any size from its digits; nodes omit zeros. @throws TillgateError `NODE_FAILED` for a rounded
 * number
 */
export function asUnits(value: unknown, what: string): bigint {
  if (value === undefined) return 0n;
  if (value instanceof LosslessNumber && INTEGER.test(value.value)) return BigInt(value.value);
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw malformed(what);
}

/** A time, which nodes send in milliseconds. */
export function asTime(value: unknown, what: string): Millis {
  const time = asCount(value, what);
  // The largest time a date can hold.
  if (time > 8_640_000_000_000_000) throw malformed(what);
  return time;
}

/** An address in the format of the nodes: 42 hexadecimal digits. */
export function toHexAddress(key: string): string {
  return `41${key}`;
}

/** The watch key of an address in its usual form, which must be valid. */
export function requireKey(address: string): string {
  const key = tronKey(address);
  if (key === null) throw malformed('an address');
  return key;
}

/** A message of a node, given as text or as its hexadecimal digits; made printable and short. */
export function asWords(value: unknown, length = 200): string {
  if (typeof value !== 'string') return '';
  const decoded = value.length > 0 && HEX.test(value) ? Buffer.from(value, 'hex').toString('utf8') : value;
  return decoded
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, length);
}
