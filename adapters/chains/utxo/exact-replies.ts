import { parse } from 'lossless-json';

/** Counts that a double holds exactly; everything else stays the text that the node wrote. */
const COUNT = /^-?\d{1,15}$/;
/** A result that is a string, or a list that begins with one: a block, or the ids of the mempool. */
const TEXT = /"result":\s*\[?\s*"/;
/** How near its beginning a reply says so. */
const HEAD = 64;

/**
 * Reads a node's reply without passing an amount through a double: whole numbers become numbers, all others the text in
 * which they were sent.
 */
export function parseExactly(text: string): unknown {
  // Some megabytes without a number: the built-in reader is fifty times as quick.
  if (TEXT.test(text.slice(0, HEAD))) return JSON.parse(text) as unknown;
  return parse(text, null, (digits) => (COUNT.test(digits) ? Number(digits) : digits));
}
