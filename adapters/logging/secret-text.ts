/** What stands in a log line where a secret stood. */
export const REDACTED = '[redacted]';

/** Longer text is cut, so that no line grows without bound and no pattern runs for long. */
const MAX_TEXT = 8192;

/** Every form of secret cuts itself off from the text around it, so that the rest of a sentence stays readable. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  // Private keys in armour.
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  // Keys, tokens and secrets of our own.
  [/(?<![A-Za-z0-9])(tak|tat|tss|tck|tct|tgk|whsec)_[A-Za-z0-9+/=_-]+/g, `$1_${REDACTED}`],
  // The last part of a payer's page lets everyone in who knows it.
  [/(\/checkout\/)[A-Za-z0-9_-]{16,}/g, `$1${REDACTED}`],
  // JSON Web Tokens, whole or cut.
  [/\beyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){0,4}/g, REDACTED],
  // Extended private keys (BIP-32, SLIP-132), and private keys in wallet import format.
  [/\b(?:[tuvxyzUVYZ]prv|Ltpv|Mtpv|ttpv)[1-9A-HJ-NP-Za-km-z]{20,}/g, REDACTED],
  [/\b[5KLTc69][1-9A-HJ-NP-Za-km-z]{50,51}\b/g, REDACTED],
  // lnd's macaroons, which all begin alike.
  [/\b0201036c6e64[0-9a-f]{20,}/gi, REDACTED],
  // 32 bytes in base64: master keys, decoded secrets, signatures. (In hexadecimal they can't be told from a hash.)
  [/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{43}=(?![A-Za-z0-9+/=])/g, REDACTED],
  // HTTP authentication.
  [/\b(Bearer|Basic|Digest) +[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  // `name=value`, `name: value` and `"name":"value"` with a telling name.
  [
    /((?:api[-_ ]?key|api[-_ ]?token|x-token|access[-_ ]?token|pass(?:word|phrase|wd)?|secret|signature|authorization|(?:set-)?cookie|macaroon|mnemonic|seed|private[-_ ]?key|master[-_ ]?key|verify[-_ ]?code|[?&](?:key|token|sig|auth))[\\"']*\s*[=:]\s*[\\"']*)[^\s\\"',;&}]+/gi,
    `$1${REDACTED}`,
  ],
  // Twelve and more short words in a row: a wallet's seed phrase.
  [/\b[a-z]{3,8}(?:[\s,]+[a-z]{3,8}){11,}\b/g, REDACTED],
];

/**
 * Short text of letters, digits and a little punctuation can hold no form of secret but those that {@link HINT} finds; it is
 * what nearly every field holds, and is spared the long way.
 */
const PLAIN = /^[A-Za-z0-9 .,;()'/-]{0,46}$/;
const HINT = /eyJ|prv|tpv|bearer|basic|digest|0201036c6e64|checkout/i;

/** Any URL but those of our own code in a stack. */
const URL_TEXT = /\b((?!file:|node:)[a-z][a-z0-9+.-]{1,20}:\/\/)([^\s"'<>]+)/gi;

/**
 * Cuts a URL down to where it leads: credentials, path and query of a node's, a receiver's or a payer's URL are secrets.
 * With an `@` in it, nobody can say where a careless password ends, so nothing is left.
 */
function cutUrl(_match: string, scheme: string, rest: string): string {
  if (rest.includes('@')) return `${scheme}…`;
  const end = rest.search(/[/?#\\]/);
  return end < 0 || end === rest.length - 1 ? scheme + rest : `${scheme}${rest.slice(0, end)}/…`;
}

/** The text without whatever looks like a secret, cut to a length that a log line can bear. */
export function scrubText(text: string): string {
  if (PLAIN.test(text) && !HINT.test(text)) return text;
  // Half a secret at the cut would look like none, so the last word goes as well.
  const cut = text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).replace(/\S{1,1024}$/, '')}…`;
  return FORMS.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), cut.replace(URL_TEXT, cutUrl));
}

/** Names whose values are secrets, whatever they look like; compared without case and separators. */
const SECRET_NAME =
  /pass(?:word|phrase|wd)|secret|apikey|apitoken|accesstoken|checkouttoken|xtoken|callbackkey|authorization|cookie|signature|mnemonic|seed|privatekey|masterkey|macaroon|sealed|xprv|verifycode|totp|otp$|^(?:key|token|auth|credentials|headers|rawheaders|body)$/;

/** True for a field whose value is never written. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replace(/[^A-Za-z]/g, '').toLowerCase());
}

/** A field's name as it is written, and whether its value is. */
export interface CleanName {
  readonly text: string;
  readonly secret: boolean;
}

const MAX_NAMES = 1000;
const names = new Map<string, CleanName>();

/** Judges a field's name; a program has few of them, so each is judged once. */
export function cleanName(name: string): CleanName {
  const known = names.get(name);
  if (known !== undefined) return known;
  const judged = { text: scrubText(name), secret: isSecretName(name) };
  if (names.size < MAX_NAMES) names.set(name, judged);
  return judged;
}
