import { base62, BASE62_DIGITS, SECRET_PREFIXES } from '../access/index.ts';
import type { Random } from '../kernel/index.ts';

export const APP_KEY_PREFIX = SECRET_PREFIXES.appKey;
const SECRET_DIGITS = 43;
const CHECK_DIGITS = 6;
/** Length in characters. */
export const APP_KEY_LENGTH = APP_KEY_PREFIX.length + SECRET_DIGITS + CHECK_DIGITS;
const ALL_ONES = 0xffffffff;
const CHECKED = APP_KEY_PREFIX.length + SECRET_DIGITS;

/** A new key: the prefix, 32 random bytes in base 62, and a checksum that detects typing errors. */
export function newAppKeyText(random: Random): string {
  const body = APP_KEY_PREFIX + base62(random.bytes(32));
  return body + checksum(body);
}

/** True for text with the format and checksum of a key. */
export function isAppKeyText(text: string): boolean {
  if (text.length !== APP_KEY_LENGTH || !text.startsWith(APP_KEY_PREFIX)) return false;
  let crc = PREFIX_CRC;
  for (let at = APP_KEY_PREFIX.length; at < CHECKED; at++) {
    const code = text.charCodeAt(at);
    if (IS_DIGIT[code] !== 1) return false;
    crc = (CRC_TABLE[(crc ^ code) & 0xff] as number) ^ (crc >>> 8);
  }
  let left = (crc ^ ALL_ONES) >>> 0;
  for (let at = APP_KEY_LENGTH - 1; at >= CHECKED; at--, left = Math.floor(left / 62)) {
    if (text.charCodeAt(at) !== BASE62_DIGITS.charCodeAt(left % 62)) return false;
  }
  return true;
}

/** 1 for the character codes of base-62 digits. */
const IS_DIGIT = Uint8Array.from({ length: 128 }, (_, code) =>
  BASE62_DIGITS.includes(String.fromCharCode(code)) ? 1 : 0,
);

/** CRC-32 (ISO 3309) in base 62. */
function checksum(text: string): string {
  let left = (crcOf(text) ^ ALL_ONES) >>> 0;
  let digits = '';
  for (let place = 0; place < CHECK_DIGITS; place++, left = Math.floor(left / 62))
    digits = BASE62_DIGITS.charAt(left % 62) + digits;
  return digits;
}

/** The CRC register after a text. Fast by its table, because every new request head needs it. */
function crcOf(text: string): number {
  let crc = ALL_ONES;
  for (let at = 0; at < text.length; at++)
    crc = (CRC_TABLE[(crc ^ text.charCodeAt(at)) & 0xff] as number) ^ (crc >>> 8);
  return crc;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

const PREFIX_CRC = crcOf(APP_KEY_PREFIX);
