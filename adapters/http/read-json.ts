import { LosslessNumber, parse } from 'lossless-json';
import { TillgateError } from '../../core/index.ts';

/** Deeper than any body of this API, and shallow enough for any stack. */
const MAX_DEPTH = 16;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const LONE_SURROGATE = /\p{Surrogate}/u;
const IN_NUMBER = /[\d.eE+-]/;

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
  const { depth, members, plainNumbers } = outline(text);
  if (depth > MAX_DEPTH) throw malformed(`The body is nested more than ${MAX_DEPTH} levels deep.`);
  const value = parseStrictly(text, plainNumbers);
  // The parser keeps only one of two members of the same name. Each member has exactly one colon outside of strings.
  if (countMembers(value) !== members) throw malformed('The body names a member twice.');
  return value;
}

/** The parser of V8 takes a fraction of the time of one in JavaScript, but gives numbers without the digits that were sent. */
function parseStrictly(text: string, plainNumbers: boolean): unknown {
  try {
    return plainNumbers ? withDigits(JSON.parse(text)) : parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw malformed('The body is not valid JSON.');
    throw error;
  }
}

/** Replaces the numbers in a value by their digits. A function given to `JSON.parse` would take longer than both. */
function withDigits(value: unknown): unknown {
  if (typeof value === 'number') return new LosslessNumber(String(value));
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    const member = members[name];
    const read = withDigits(member);
    if (read !== member) members[name] = read;
  }
  return value;
}

/** What the characters of a JSON text say of it. */
interface Outline {
  /** The nesting depth. */
  readonly depth: number;
  /** The number of members of all objects. */
  readonly members: number;
  /** Whether JavaScript writes every number as it was sent, so that reading it loses none of its digits. */
  readonly plainNumbers: boolean;
}

/** For invalid JSON the result is arbitrary. */
function outline(text: string): Outline {
  let depth = 0;
  let open = 0;
  let members = 0;
  let plainNumbers = true;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) at = endOfString(text, at);
    else if (char === 0x3a) members += 1;
    else if (char === 0x7b || char === 0x5b) depth = Math.max(depth, ++open);
    else if (char === 0x7d || char === 0x5d) open -= 1;
    else if (char === 0x2d || isDigit(char)) {
      const end = endOfNumber(text, at);
      const digits = text.slice(at, end);
      plainNumbers &&= String(Number(digits)) === digits;
      at = end - 1;
    }
  }
  return { depth, members, plainNumbers };
}

const isDigit = (char: number): boolean => char >= 0x30 && char <= 0x39;

function endOfNumber(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) if (!IN_NUMBER.test(text.charAt(at))) return at;
  return text.length;
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
