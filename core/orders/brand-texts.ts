const MAX_NAME = 64;
const MAX_SUPPORT = 254;

/**
 * Control, bidirectional, invisible and private-use characters, and line breaks, which make one text look like another.
 */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/u;
/** Stacked combining marks cover the lines above and below. */
const HEAP_OF_MARKS = /\p{M}{3}/u;
const LATIN = /\p{Script=Latin}/u;
/** Scripts with letters that look like Latin ones. */
const LOOKALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

/** Why a name is refused, worded to complete "name …"; `null` when it is accepted. */
export function nameProblem(name: string): string | null {
  if (name.length === 0 || name.length > MAX_NAME) return `must have 1 to ${MAX_NAME} characters`;
  if (!/[\p{L}\p{N}]/u.test(name)) return 'must have a letter or a digit';
  return lineProblem(name);
}

/** Why a line of text is refused, worded to complete "title …": it could look like another text. `null` if accepted. */
export function lineProblem(line: string): string | null {
  if (HIDDEN.test(line) || HEAP_OF_MARKS.test(line)) return 'must have visible characters only';
  const mixed = line.split(/[^\p{L}\p{M}]+/u).some((word) => LATIN.test(word) && LOOKALIKE.test(word));
  return mixed ? 'must not mix alphabets within a word' : null;
}

/** The usual form of a name: single spaces between words, composed characters. */
export function usualName(name: string): string {
  return name.normalize('NFC').trim().replaceAll(/ +/g, ' ');
}

/** A key that is equal for names that look the same to a payer. */
export function nameKey(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

/** Why a support address is refused, worded to complete "support …"; `null` when it is accepted. */
export function supportProblem(support: string): string | null {
  if (support.length > MAX_SUPPORT) return `must have at most ${MAX_SUPPORT} characters`;
  return isMailAddress(support) || isHttpsUrl(support) ? null : 'must be a mail address or an https URL';
}

/** Plain ASCII of RFC 5321 without quoted parts, so that nothing needs an escape in a `mailto` link. */
export function isMailAddress(text: string): boolean {
  return /^[a-z0-9_.+-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i.test(text);
}

/** Host and path in plain ASCII, so that the text shows the target. No user name, which would hide the host. */
function isHttpsUrl(text: string): boolean {
  return /^https:\/\/(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}(?::\d{1,5})?(?:\/[\w.~/?&=%-]*)?$/i.test(
    text,
  );
}
