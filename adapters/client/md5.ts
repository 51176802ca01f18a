import { toHex } from './bytes.ts';

const BLOCK = 64;
/** Shifts of the four rounds, four steps each (RFC 1321, section 3.4). */
const SHIFTS = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const;
/** The table T: the integer part of 4294967296 × |sin(i)|. */
const SINES = Uint32Array.from({ length: BLOCK }, (_, at) => Math.floor(Math.abs(Math.sin(at + 1)) * 2 ** 32));

/**
 * The MD5 of bytes as 32 lower-case hexadecimal digits (RFC 1321). The signature scheme requires it and Web Crypto does
 * not have it. The body is protected by the keyed hash over it, not by MD5.
 */
export function md5Hex(bytes: Uint8Array): string {
  const state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  const padded = pad(bytes);
  const words = new DataView(padded.buffer);
  for (let at = 0; at < padded.length; at += BLOCK) mix(state, words, at);
  const digest = new DataView(new ArrayBuffer(16));
  state.forEach((word, at) => digest.setUint32(at * 4, word, true));
  return toHex(new Uint8Array(digest.buffer));
}

/** Appends a one bit, zeros, and the length in bits as 64 bits, low word first. */
function pad(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, (bytes.length * 8) >>> 0, true);
  view.setUint32(padded.length - 4, Math.floor(bytes.length / 2 ** 29), true);
  return padded;
}

function mix(state: Uint32Array, words: DataView, start: number): void {
  let [a, b, c, d] = state as unknown as [number, number, number, number];
  for (let step = 0; step < BLOCK; step++) {
    const round = step >> 4;
    const { value, word } = choose(round, step, b, c, d);
    const sum = (a + value + (SINES[step] as number) + words.getUint32(start + word * 4, true)) | 0;
    const shift = (SHIFTS[round] as (typeof SHIFTS)[number])[step & 3] as number;
    [a, d, c] = [d, c, b];
    b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0;
  }
  [a, b, c, d].forEach((word, at) => (state[at] = (state[at] as number) + word));
}

/** The round's function of three words, and the index of the block's word that the step uses. */
function choose(round: number, step: number, b: number, c: number, d: number): { value: number; word: number } {
  if (round === 0) return { value: (b & c) | (~b & d), word: step };
  if (round === 1) return { value: (d & b) | (~d & c), word: (5 * step + 1) & 15 };
  if (round === 2) return { value: b ^ c ^ d, word: (3 * step + 5) & 15 };
  return { value: c ^ (b | ~d), word: (7 * step) & 15 };
}
