const MAX_NAME = 64;
const MAX_SUPPORT = 254;

/** Controls, bidirectional marks, invisible and private characters, surrogates, line breaks: what makes a text read as another. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/u;
/** Marks upon marks cover the lines above and below. */
const HEAP_OF_MARKS = /\p{M}{3}/u;
const LATIN = /\p{Script=Latin}/u;
/** Alphabets with letters that look like Latin ones. */
const LOOKALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

/** Why a name is not taken, in words that complete "name …"; `null` for one that is. */
export function nameProblem(name: string): string | null {
  if (name.length === 0 || name.length > MAX_NAME) return `must have 1 to ${MAX_NAME} characters`;
  if (HIDDEN.test(name) || HEAP_OF_MARKS.test(name)) return 'must have visible characters only';
  if (!/[\p{L}\p{N}]/u.test(name)) return 'must have a letter or a digit';
  const mixed = name.split(/[^\p{L}\p{M}]+/u).some((word) => LATIN.test(word) && LOOKALIKE.test(word));
  return mixed ? 'must not mix alphabets within a word' : null;
}

/** The usual form of a name: one space between words, composed characters. */
export function usualName(name: string): string {
  return name.normalize('NFC').trim().replaceAll(/ +/g, ' ');
}

/** Equal for names that a payer would take for the same. */
export function nameKey(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

/** Why a support address is not taken, in words that complete "support …"; `null` for one that is. */
export function supportProblem(support: string): string | null {
  if (support.length > MAX_SUPPORT) return `must have at most ${MAX_SUPPORT} characters`;
  return isMailAddress(support) || isHttpsUrl(support) ? null : 'must be a mail address or an https URL';
}

/** Plain ASCII of RFC 5321 without quoted parts: nothing of it needs an escape in a `mailto` link. */
export function isMailAddress(text: string): boolean {
  return /^[a-z0-9_.+-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i.test(text);
}

/** Host and path in plain ASCII, so that what is shown is where it leads; no user name, which would hide the host. */
function isHttpsUrl(text: string): boolean {
  return /^https:\/\/(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}(?::\d{1,5})?(?:\/[\w.~/?&=%-]*)?$/i.test(
    text,
  );
}
