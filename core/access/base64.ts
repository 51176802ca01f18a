const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** 32 bytes are 43 digits and one `=`. */
const LENGTH_OF_32 = 44;
/** The value of a character that is not a digit; it sets a bit above the six of each digit, so that it can be detected. */
const NO_DIGIT = 64;

const values = new Uint8Array(128).fill(NO_DIGIT);
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

/** base64url without padding (RFC 4648, section 5). */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Decodes standard base64 of exactly 32 bytes; `null` for anything else. Each value has one accepted text: no
 * base64url, no missing padding, no white space, no stray bits. A signature therefore has no second spelling that would
 * count as another one.
 *
 * @param bytes - the target; a new array by default
 */
export function decodeBase64Of32(text: string, bytes: Uint8Array = new Uint8Array(32)): Uint8Array | null {
  if (text.length !== LENGTH_OF_32 || text.charAt(LENGTH_OF_32 - 1) !== '=') return null;
  let seen = 0;
  for (let at = 0, to = 0; at < 40; at += 4, to += 3) {
    const [a, b, c, d] = [digit(text, at), digit(text, at + 1), digit(text, at + 2), digit(text, at + 3)];
    seen |= a | b | c | d;
    bytes[to] = (a << 2) | (b >> 4);
    bytes[to + 1] = (b << 4) | (c >> 2);
    bytes[to + 2] = (c << 6) | d;
  }
  const [a, b, c] = [digit(text, 40), digit(text, 41), digit(text, 42)];
  bytes[30] = (a << 2) | (b >> 4);
  bytes[31] = (b << 4) | (c >> 2);
  // The last digit has two unused bits; they must be zero.
  return (seen | a | b | c) < NO_DIGIT && (c & 3) === 0 ? bytes : null;
}

function digit(text: string, at: number): number {
  return values[text.charCodeAt(at)] ?? NO_DIGIT;
}
