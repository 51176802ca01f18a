const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 without padding (RFC 4648, section 6), the format of secrets in authenticator apps. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += ALPHABET.charAt((buffer >> (bits - 5)) & 31);
    buffer &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET.charAt((buffer << (5 - bits)) & 31);
}

/** Decodes base32 without padding; `null` for anything else. */
export function decodeBase32(text: string): Uint8Array | null {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let buffer = 0;
  let bits = 0;
  let at = 0;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return null;
    buffer = (buffer << 5) | digit;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = buffer >> bits;
    buffer &= (1 << bits) - 1;
  }
  return buffer === 0 ? bytes : null;
}
