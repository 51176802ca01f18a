import { LosslessNumber, parse } from 'lossless-json';
import { TillgateError } from '../../core/index.ts';

/** Deeper than any body of this API, and shallow enough for any stack. */
const MAX_DEPTH = 16;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const LONE_SURROGATE = /\p{Surrogate}/u;

const malformed = (message: string): TillgateError => new TillgateError('MALFORMED_REQUEST', message);

/** @throws TillgateError `MALFORMED_REQUEST` for invalid UTF-8 */
export function readText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('The body is not UTF-8.');
  }
}

/**
 * Reads a JSON body (RFC 8259) strictly. Numbers are returned as {@link LosslessNumber}, with the digits that were
 * sent.
 *
 * @throws TillgateError `MALFORMED_REQUEST` for invalid JSON, and for JSON that two readers could understand
 *   differently: repeated members, `__proto__`, lone surrogates, nesting beyond the limit
 */
export function readJson(bytes: Uint8Array): unknown {
  const text = readText(bytes);
  const { depth, members } = outline(text);
  if (depth > MAX_DEPTH) throw malformed(`The body is nested more than ${MAX_DEPTH} levels deep.`);
  const value = parseStrictly(text);
  // The parser keeps only one of two members of the same name. Each member has exactly one colon outside of strings.
  if (countMembers(value) !== members) throw malformed('The body names a member twice.');
  return value;
}

function parseStrictly(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw malformed('The body is not valid JSON.');
    throw error;
  }
}

/**
 * The nesting depth of a JSON text and the number of members of all its objects. For invalid JSON the result is
 * arbitrary.
 */
function outline(text: string): { depth: number; members: number } {
  let depth = 0;
  let open = 0;
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) at = endOfString(text, at);
    else if (char === 0x3a) members += 1;
    else if (char === 0x7b || char === 0x5b) depth = Math.max(depth, ++open);
    else if (char === 0x7d || char === 0x5d) open -= 1;
  }
  return { depth, members };
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) return at;
    if (char === 0x5c) at += 1;
  }
  return text.length;
}

function countMembers(value: unknown): number {
  if (typeof value === 'string') checkText(value);
  if (typeof value !== 'object' || value === null || value instanceof LosslessNumber) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countMembers(item), 0);
  let members = 0;
  for (const name of Object.keys(value)) {
    if (name === '__proto__') throw malformed('The body has a member __proto__.');
    checkText(name);
    members += 1 + countMembers((value as Readonly<Record<string, unknown>>)[name]);
  }
  return members;
}

function checkText(text: string): void {
  if (LONE_SURROGATE.test(text)) throw malformed('The body holds half a surrogate pair.');
}
