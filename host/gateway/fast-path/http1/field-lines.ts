/** Returned by {@link readFields} instead of the end of the fields. */
export const INCOMPLETE = -1;
export const MALFORMED = -2;

const CR = 0x0d;
const LF = 0x0a;
const COLON = 0x3a;
const SPACE = 0x20;
const TAB = 0x09;

const NAME = 1;
const VALUE = 2;

/** The bytes allowed in a field's name (a token, RFC 9110, section 5.6.2) and in its value (section 5.5). */
const USES = Uint8Array.from({ length: 256 }, (_, code) => {
  const inName = /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(code));
  const inValue = code === TAB || (code >= SPACE && code !== 0x7f);
  return (inName ? NAME : 0) | (inValue ? VALUE : 0);
});

/**
 * Reads the field lines of a message's head, strictly: every line ends in CR LF, no line is folded, no name is followed
 * by a space, no value contains a control character or ends in a tab. Lines that another parser could read differently
 * are malformed.
 *
 * @param text - one character for each byte
 * @param from - where the first line begins
 * @param into - receives names, as written, alternating with values
 * @returns where the body begins, {@link INCOMPLETE} or {@link MALFORMED}
 */
export function readFields(text: string, from: number, into: string[]): number {
  let at = from;
  while (at >= 0 && text.charCodeAt(at) !== CR) at = readField(text, at, into);
  return at < 0 ? at : endsLine(text, at);
}

/**
 * Reads one field line.
 *
 * @returns where the next line begins, {@link INCOMPLETE} or {@link MALFORMED}
 */
export function readField(text: string, at: number, into: string[]): number {
  const nameEnd = past(text, at, NAME);
  if (nameEnd === text.length) return INCOMPLETE;
  if (nameEnd === at || text.charCodeAt(nameEnd) !== COLON) return MALFORMED;
  into.push(text.slice(at, nameEnd));
  return readValue(text, nameEnd + 1, into);
}

/**
 * Reads what follows the colon of a field line, and adds the value to the list.
 *
 * @returns where the next line begins, {@link INCOMPLETE} or {@link MALFORMED}
 */
export function readValue(text: string, from: number, into: string[]): number {
  let start = from;
  while (isBlank(text.charCodeAt(start))) start += 1;
  const lineEnd = past(text, start, VALUE);
  const next = endsLine(text, lineEnd);
  if (next < 0) return next;
  let end = lineEnd;
  while (end > start && text.charCodeAt(end - 1) === SPACE) end -= 1;
  // RFC 9110, section 5.5, ignores a trailing tab; Node keeps it in the value of `Content-Length` or `Connection`.
  if (end > start && text.charCodeAt(end - 1) === TAB) return MALFORMED;
  into.push(text.slice(start, end));
  return next;
}

/** The position behind the CR LF at `at`, {@link INCOMPLETE} or {@link MALFORMED}. */
export function endsLine(text: string, at: number): number {
  if (at + 1 >= text.length) return at >= text.length || text.charCodeAt(at) === CR ? INCOMPLETE : MALFORMED;
  return text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? at + 2 : MALFORMED;
}

/** The first position whose byte is not allowed for this use. */
function past(text: string, from: number, use: number): number {
  let at = from;
  while (at < text.length && ((USES[text.charCodeAt(at)] as number) & use) !== 0) at += 1;
  return at;
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}
