import { base62, BASE62_DIGITS } from '../auth/key-text.ts';
import type { Random } from '../ports/random.ts';

/** What every App key begins with. */
export const APP_KEY_PREFIX = 'tgk_';
const SECRET_DIGITS = 43;
const CHECK_DIGITS = 6;
/** How long every App key is, in characters. */
export const APP_KEY_LENGTH = APP_KEY_PREFIX.length + SECRET_DIGITS + CHECK_DIGITS;
const FORM = new RegExp(`^${APP_KEY_PREFIX}[0-9A-Za-z]{${SECRET_DIGITS + CHECK_DIGITS}}$`);

/** A new key: the prefix, 32 random bytes in base 62, and a checksum that tells a typing error from an unknown key. */
export function newAppKeyText(random: Random): string {
  const body = APP_KEY_PREFIX + base62(random.bytes(32));
  return body + checksum(body);
}

/** True for text that has a key's form and its checksum. */
export function isAppKeyText(text: string): boolean {
  return FORM.test(text) && checksum(text.slice(0, -CHECK_DIGITS)) === text.slice(-CHECK_DIGITS);
}

/** CRC-32 (ISO 3309) in base 62. Every request of the gateway computes one: hence the table and plain numbers. */
function checksum(text: string): string {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at++) crc = (CRC_TABLE[(crc ^ text.charCodeAt(at)) & 0xff] as number) ^ (crc >>> 8);
  let left = (crc ^ 0xffffffff) >>> 0;
  let digits = '';
  for (let place = 0; place < CHECK_DIGITS; place++, left = Math.floor(left / 62)) digits = BASE62_DIGITS.charAt(left % 62) + digits;
  return digits;
}

/** The CRC of each byte. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});
