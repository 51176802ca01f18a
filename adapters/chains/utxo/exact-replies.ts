import { parse } from 'lossless-json';

/** Counts that a double holds exactly; everything else stays the text that the node wrote. */
const COUNT = /^-?\d{1,15}$/;
/** How near its beginning a reply whose result is one text says so. */
const HEAD = 64;

/**
 * Reads a node's reply without passing an amount through a double: whole numbers become numbers, all others the text in
 * which they were sent.
 */
export function parseExactly(text: string): unknown {
  // A block is one text of some megabytes and holds no number: the built-in reader is fifty times as quick.
  if (text.slice(0, HEAD).includes('"result":"')) return JSON.parse(text) as unknown;
  return parse(text, null, (digits) => (COUNT.test(digits) ? Number(digits) : digits));
}
