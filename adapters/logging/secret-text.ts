import { SECRET_PREFIXES } from '../../core/index.ts';

/** Replaces a secret in a log line. */
export const REDACTED = '[redacted]';

/** Longer text is truncated, to bound the line and the time of the patterns. */
const MAX_TEXT = 8192;

/** Each pattern matches the secret only, so that the text around it stays readable. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  // PEM private keys.
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  // Keys, tokens and secrets of Tillgate.
  [new RegExp(`(?<![A-Za-z0-9])(${Object.values(SECRET_PREFIXES).join('|')})[A-Za-z0-9+/=_-]+`, 'g'), `$1${REDACTED}`],
  // The last part of a payment page's URL grants access to it.
  [/(\/checkout\/)[A-Za-z0-9_-]{16,}/g, `$1${REDACTED}`],
  // JSON Web Tokens, whole or truncated.
  [/\beyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){0,4}/g, REDACTED],
  // Extended private keys (BIP-32, SLIP-132), and private keys in wallet import format.
  [/\b(?:[tuvxyzUVYZ]prv|Ltpv|Mtpv|ttpv)[1-9A-HJ-NP-Za-km-z]{20,}/g, REDACTED],
  [/\b[5KLTc69][1-9A-HJ-NP-Za-km-z]{50,51}\b/g, REDACTED],
  // lnd macaroons, by their common prefix.
  [/\b0201036c6e64[0-9a-f]{20,}/gi, REDACTED],
  // 32 bytes in base64: master keys, decoded secrets, signatures. (In hexadecimal they look like a hash.)
  [/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{43}=(?![A-Za-z0-9+/=])/g, REDACTED],
  // HTTP authentication.
  [/\b(Bearer|Basic|Digest) +[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  // `name=value`, `name: value` and `"name":"value"` with the name of a secret.
  [
    /((?:api[-_ ]?key|api[-_ ]?token|x-token|access[-_ ]?token|pass(?:word|phrase|wd)?|secret|signature|authorization|(?:set-)?cookie|macaroon|mnemonic|seed|private[-_ ]?key|master[-_ ]?key(?:[-_ ]?former)?|verify[-_ ]?code|[?&](?:key|token|sig|auth))[\\"']*\s*[=:]\s*[\\"']*)[^\s\\"',;&}]+/gi,
    `$1${REDACTED}`,
  ],
  // Twelve and more short words in a row: a wallet's seed phrase.
  [/\b[a-z]{3,8}(?:[\s,]+[a-z]{3,8}){11,}\b/g, REDACTED],
];

/**
 * A fast path for most fields: short text of letters, digits and a little punctuation can only contain secrets that
 * {@link HINT} finds.
 */
const PLAIN = /^[A-Za-z0-9 .,;()'/-]{0,46}$/;
const HINT = /eyJ|prv|tpv|bearer|basic|digest|0201036c6e64|checkout/i;

/** Any URL except those of source files in a stack. */
const URL_TEXT = /\b((?!file:|node:)[a-z][a-z0-9+.-]{1,20}:\/\/)([^\s"'<>]+)/gi;

/**
 * Reduces a URL to its host: credentials, path and query of a node's, a receiver's or a payer's URL are secrets. With an
 * `@` in it the end of an unescaped password is unknown, so nothing is left.
 */
function cutUrl(_match: string, scheme: string, rest: string): string {
  if (rest.includes('@')) return `${scheme}…`;
  const end = rest.search(/[/?#\\]/);
  return end < 0 || end === rest.length - 1 ? scheme + rest : `${scheme}${rest.slice(0, end)}/…`;
}

/** The text with everything that looks like a secret redacted, truncated for a log line. */
export function scrubText(text: string): string {
  if (PLAIN.test(text) && !HINT.test(text)) return text;
  // A truncated secret at the end would match no pattern, so the last word is dropped.
  const cut = text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).replace(/\S{1,1024}$/, '')}…`;
  return FORMS.reduce(
    (clean, [pattern, replacement]) => clean.replace(pattern, replacement),
    cut.replace(URL_TEXT, cutUrl),
  );
}

/** Names whose values are always secrets; compared without case and separators. */
const SECRET_NAME =
  /pass(?:word|phrase|wd)|secret|apikey|apitoken|accesstoken|checkouttoken|xtoken|callbackkey|authorization|cookie|signature|mnemonic|seed|privatekey|masterkey|macaroon|sealed|xprv|verifycode|totp|otp$|^(?:key|token|auth|credentials|headers|rawheaders|body)$/;

/** True for a field whose value is always redacted. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replace(/[^A-Za-z]/g, '').toLowerCase());
}

/** A field's name as written, and whether its value is redacted. */
export interface CleanName {
  readonly text: string;
  readonly secret: boolean;
}

const MAX_NAMES = 1000;
const names = new Map<string, CleanName>();

/** Classifies a field's name; cached, because a program has few of them. */
export function cleanName(name: string): CleanName {
  const known = names.get(name);
  if (known !== undefined) return known;
  const judged = { text: scrubText(name), secret: isSecretName(name) };
  if (names.size < MAX_NAMES) names.set(name, judged);
  return judged;
}
