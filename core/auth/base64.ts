const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** 32 bytes are 43 digits and one `=`; the last digit carries two unused bits, which must be zero. */
const STRICT_32 = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

const values = new Uint8Array(128);
for (let digit = 0; digit < 64; digit++) values[ALPHABET.charCodeAt(digit)] = digit;

/** Standard base64 with padding (RFC 4648, section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const group = ((bytes[at] as number) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += ALPHABET.charAt(group >> 18) + ALPHABET.charAt((group >> 12) & 63);
    text += left > 1 ? ALPHABET.charAt((group >> 6) & 63) : '=';
    text += left > 2 ? ALPHABET.charAt(group & 63) : '=';
  }
  return text;
}

/**
 * Reads standard base64 of exactly 32 bytes; `null` for anything else. There is one text for each 32 bytes: no
 * base64url, no missing padding, no white space, no stray bits, so that nothing is the same signature in another dress.
 *
 * @param bytes - where to put them; a new array when none is given
 */
export function decodeBase64Of32(text: string, bytes: Uint8Array = new Uint8Array(32)): Uint8Array | null {
  if (!STRICT_32.test(text)) return null;
  for (let at = 0, to = 0; to < 32; at += 4, to += 3) {
    // The padding `=` reads as 0 here, and its byte falls off the end of the array.
    const group = (digit(text, at) << 18) | (digit(text, at + 1) << 12) | (digit(text, at + 2) << 6) | digit(text, at + 3);
    bytes[to] = group >> 16;
    bytes[to + 1] = group >> 8;
    bytes[to + 2] = group;
  }
  return bytes;
}

function digit(text: string, at: number): number {
  return values[text.charCodeAt(at)] as number;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Lower-case hexadecimal digits, two a byte. */
export function encodeHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte] as string;
  return text;
}
