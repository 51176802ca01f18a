import { formatSignedDate, hex, parseSignedDate, TillgateError } from '../kernel/index.ts';
import type { Digest, Millis, SignatureAlgorithm, SigningText } from '../kernel/index.ts';
import { decodeBase64Of32, encodeBase64 } from './base64.ts';

/** A request as it was received, with nothing decoded. */
export interface SignedRequest {
  readonly method: string;
  /** The raw request target: path and query exactly as received. */
  readonly target: string;
  /** Lower-case names; every value of a repeated header. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Uint8Array;
}

/** The key of the expected signer, found by the request's API token before verification. */
export interface SignatureKey {
  readonly secret: string;
  /** The keyed hash by which the token was looked up; part of the replay key. */
  readonly tokenHash: string;
}

/** The result of verification. `replayKey` is the token's hash and the decoded signature in hexadecimal. */
export type SignatureVerdict =
  | { readonly ok: true; readonly replayKey: string }
  | {
      readonly ok: false;
      readonly code: 'SIGNATURE_INVALID' | 'DATE_INVALID' | 'NO_CREDENTIALS';
      readonly message: string;
      readonly signing: SigningText | null;
    };

type Refusal = Extract<SignatureVerdict, { ok: false }>;

/** Each of these headers marks a request as signed. `Date` does not, because ordinary clients send it too. */
const SIGNATURE_HEADERS = ['api-token', 'algorithm', 'signature', 'body-md5'] as const;
/** The headers of a signed request, in the spelling of the API's documentation. */
const HEADERS = [
  { name: 'API-Token', lower: 'api-token', required: true },
  { name: 'Algorithm', lower: 'algorithm', required: true },
  { name: 'Date', lower: 'date', required: true },
  { name: 'Signature', lower: 'signature', required: true },
  { name: 'Body-MD5', lower: 'body-md5', required: false },
] as const;
const ALGORITHMS: readonly SignatureAlgorithm[] = ['HMAC-SHA256', 'HMAC-SHA3_256'];
/** The parts of the signed text are separated by `|`, with or without a space on each side. */
const DELIMITERS = [' | ', '|'] as const;
/**
 * With a raw `|` in the target, the three-part text of one request could equal the four-part text of another; white space has
 * the same effect on ` | `. A well-formed target contains neither.
 */
const SOUND_TARGET = /^\/[^\s|#]*$/;
const SOUND_METHOD = /^[A-Z]+$/;
/** The key for an unknown token, so that verification takes equally long. The result is never accepted. */
const NOBODY: SignatureKey = { secret: 'nobody has this secret, and what it verifies is refused', tokenHash: '' };

/**
 * Reused for each decoded signature and read before the call ends. A new array for each call would be moved off the
 * heap for the native comparison, which costs as much as a hash.
 */
const scratch = new Uint8Array(32);

/** True when a request has at least one header that only signed requests have. */
export function isSigned(request: SignedRequest): boolean {
  return SIGNATURE_HEADERS.some((header) => request.headers.has(header));
}

/**
 * Verifies the signature of a request. Pure: the key was looked up before, by the request's API token.
 *
 * @param key - `null` for a token that is unknown or no longer valid: the answer and the work are those of a wrong
 *   signature
 * @param skewMs - the largest accepted difference between `Date` and `now`, inclusive, in milliseconds
 */
export function verifySignature(
  request: SignedRequest,
  key: SignatureKey | null,
  digest: Digest,
  now: Millis,
  skewMs: number,
): SignatureVerdict {
  if (!isSigned(request)) {
    return { ok: false, code: 'NO_CREDENTIALS', message: 'The request carries no credentials.', signing: null };
  }
  const seen = readSeen(request, digest);
  const problem =
    headerProblem(request) ?? formProblem(seen) ?? dateProblem(seen.date, now, skewMs) ?? bodyProblem(seen);
  if (problem !== null) return refuse(seen, problem);
  const presented = decodeBase64Of32(seen.signature, scratch);
  if (presented === null) return refuse(seen, { message: 'Signature must be standard base64 of exactly 32 bytes.' });
  const { secret, tokenHash } = key ?? NOBODY;
  let matched = false;
  // Every candidate is computed and compared, so that the time reveals nothing about the match.
  for (const origin of candidates(seen)) {
    matched = digest.equal(digest.hmac(seen.algorithm as SignatureAlgorithm, secret, origin), presented) || matched;
  }
  if (!matched || key === null) return refuse(seen, { message: 'The signature does not verify.' });
  return { ok: true, replayKey: tokenHash + hex(presented) };
}

/** The received parts of a signed request; an absent header is an empty string. */
interface Seen {
  readonly method: string;
  readonly target: string;
  readonly algorithm: string;
  readonly date: string;
  readonly signature: string;
  readonly claimedMd5: string;
  /** The MD5 of the received body; empty when there is none. */
  readonly bodyMd5: string;
}

interface Problem {
  readonly message: string;
  readonly code?: Refusal['code'];
}

function readSeen({ method, target, headers, body }: SignedRequest, digest: Digest): Seen {
  return {
    method: method.toUpperCase(),
    target,
    algorithm: headers.get('algorithm')?.[0] ?? '',
    date: headers.get('date')?.[0] ?? '',
    signature: headers.get('signature')?.[0] ?? '',
    claimedMd5: headers.get('body-md5')?.[0] ?? '',
    bodyMd5: body.length === 0 ? '' : digest.md5Hex(body),
  };
}

function headerProblem({ headers }: SignedRequest): Problem | null {
  for (const { name, lower, required } of HEADERS) {
    const count = headers.get(lower)?.length ?? 0;
    if (count === 0 && required) return { message: `The header ${name} is missing.` };
    if (count > 1) return { message: `The header ${name} appears more than once.` };
  }
  return null;
}

function formProblem({ algorithm, method, target }: Seen): Problem | null {
  if (!(ALGORITHMS as readonly string[]).includes(algorithm))
    return { message: `Algorithm must be one of ${ALGORITHMS.join(', ')}.` };
  if (!SOUND_METHOD.test(method)) return { message: 'Requests with this HTTP method cannot be signed.' };
  if (!SOUND_TARGET.test(target))
    return { message: 'The request target must be a path without a raw "|", "#" or white space.' };
  return null;
}

function dateProblem(date: string, now: Millis, skewMs: number): Problem | null {
  const at = parseSignedDate(date);
  if (at === null) return { code: 'DATE_INVALID', message: 'Date must have the form YYYY-MM-DDTHH:MM:SSZ.' };
  if (Math.abs(now - at) <= skewMs) return null;
  return {
    code: 'DATE_INVALID',
    message: `Date must be within ${Math.floor(skewMs / 1000)} seconds of the server's time.`,
  };
}

function bodyProblem({ claimedMd5, bodyMd5 }: Seen): Problem | null {
  if (claimedMd5 === bodyMd5 || (bodyMd5 !== '' && claimedMd5.toLowerCase() === bodyMd5)) return null;
  if (bodyMd5 === '') return { message: 'Body-MD5 must be absent or empty when there is no body.' };
  if (claimedMd5 === '') return { message: 'The header Body-MD5 is missing.' };
  return { message: 'Body-MD5 is not the MD5 of the body that arrived.' };
}

/**
 * The texts that may have been signed, with either delimiter. With a body: four parts, the MD5 as in the header.
 * Without one: three parts, or four of which the last is empty, so that the text ends with the delimiter.
 */
function candidates({ algorithm, date, method, target, claimedMd5 }: Seen): readonly string[] {
  const texts: string[] = [];
  for (const delimiter of DELIMITERS) {
    const three = `${algorithm}${delimiter}${date}${delimiter}${method} ${target}`;
    if (claimedMd5 === '') texts.push(three);
    texts.push(`${three}${delimiter}${claimedMd5}`);
  }
  return texts;
}

/** A refusal with the signing text. When Body-MD5 is wrong the text contains the MD5 of the received body. */
function refuse(seen: Seen, { message, code = 'SIGNATURE_INVALID' }: Problem): Refusal {
  const shown = seen.claimedMd5.toLowerCase() === seen.bodyMd5 ? seen.claimedMd5 : seen.bodyMd5;
  const info = `${seen.method} ${seen.target}`;
  const parts = [seen.algorithm, seen.date, info, ...(shown === '' ? [] : [shown])];
  const signing: SigningText = {
    algorithm: seen.algorithm,
    date: seen.date,
    requestInfo: info,
    bodyMd5: shown,
    signatureOrigin: parts.join(DELIMITERS[0]),
  };
  return { ok: false, code, message, signing };
}

/** A request to sign. */
export interface UnsignedRequest {
  readonly method: string;
  /** Path and query exactly as they will be sent. */
  readonly target: string;
  readonly body: Uint8Array;
}

/** The signing pair: the public token, and the secret whose text is the key of the hash. */
export interface SigningPair {
  readonly apiToken: string;
  readonly secret: string;
}

/**
 * Signs a request, as a merchant's client and the till's callbacks do. Returns the headers to send, with `Body-MD5`
 * when there is a body.
 *
 * @throws TillgateError `MALFORMED_REQUEST` when the target contains a raw `|`, `#` or white space, or is no path.
 */
export function signRequest(
  request: UnsignedRequest,
  pair: SigningPair,
  digest: Digest,
  now: Millis,
  algorithm: SignatureAlgorithm = 'HMAC-SHA256',
): Readonly<Record<string, string>> {
  if (!SOUND_TARGET.test(request.target)) {
    throw new TillgateError(
      'MALFORMED_REQUEST',
      'A request target to be signed is a path without a raw "|", "#" or white space.',
    );
  }
  const date = formatSignedDate(now);
  const bodyMd5 = request.body.length === 0 ? null : digest.md5Hex(request.body);
  const parts = [
    algorithm,
    date,
    `${request.method.toUpperCase()} ${request.target}`,
    ...(bodyMd5 === null ? [] : [bodyMd5]),
  ];
  return {
    'API-Token': pair.apiToken,
    Algorithm: algorithm,
    Date: date,
    ...(bodyMd5 === null ? {} : { 'Body-MD5': bodyMd5 }),
    Signature: encodeBase64(digest.hmac(algorithm, pair.secret, parts.join(DELIMITERS[0]))),
  };
}
