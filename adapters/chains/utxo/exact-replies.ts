import { parse } from 'lossless-json';

/** Counts that a double holds exactly; every other number stays text. */
const COUNT = /^-?\d{1,15}$/;
/** A result that is a string, or a list that begins with one: a block, or the ids of the mempool. */
const TEXT = /"result":\s*\[?\s*"/;
/** The characters at the beginning of a reply in which {@link TEXT} is searched. */
const HEAD = 64;

/**
 * Reads a node's reply without passing an amount through a double: whole numbers become numbers, all others the text in
 * which they were sent.
 */
export function parseExactly(text: string): unknown {
  // For some megabytes without a number, the built-in parser is fifty times as fast.
  if (TEXT.test(text.slice(0, HEAD))) return JSON.parse(text) as unknown;
  return parse(text, null, (digits) => (COUNT.test(digits) ? Number(digits) : digits));
}
