import type { SignatureAlgorithm } from '../../core/index.ts';
import { toBase64, utf8 } from './bytes.ts';
import { hmac } from './hmac.ts';
import { md5Hex } from './md5.ts';

/** A signing pair, created on the API management page: a public token, and a secret that is never sent. */
export interface SigningPair {
  readonly apiToken: string;
  readonly signingSecret: string;
  /** `HMAC-SHA256` by default; `HMAC-SHA3_256` needs a runtime that has it. */
  readonly algorithm?: SignatureAlgorithm;
}

/** A request to sign. */
export interface UnsignedRequest {
  /** Upper case. */
  readonly method: string;
  /** Path and query exactly as they will be sent. */
  readonly target: string;
  /** The bytes of the body; empty for a request without one. */
  readonly body: Uint8Array;
}

/** A target without white space and `#`. A raw `|` would make the signed text ambiguous, and the server refuses it. */
const SOUND_TARGET = /^\/[^\s|#]*$/;
const DELIMITER = ' | ';

/**
 * Creates the headers that sign a request.
 * @param at - the time for the `Date` header, in epoch milliseconds
 * @throws RangeError for a target that is not a path or cannot be signed
 */
export async function signRequest(
  { method, target, body }: UnsignedRequest,
  pair: SigningPair,
  at: number,
): Promise<Record<string, string>> {
  if (!SOUND_TARGET.test(target))
    throw new RangeError('A request target to be signed is a path without a raw "|", "#" or white space.');
  const algorithm = pair.algorithm ?? 'HMAC-SHA256';
  const date = signedDate(at);
  const md5 = body.length === 0 ? [] : [md5Hex(body)];
  const origin = signatureOrigin(algorithm, date, `${method} ${target}`, md5);
  return {
    'API-Token': pair.apiToken,
    Algorithm: algorithm,
    Date: date,
    ...(md5[0] === undefined ? {} : { 'Body-MD5': md5[0] }),
    Signature: toBase64(await hmac(algorithm, utf8(pair.signingSecret), origin)),
  };
}

/** The signed text: three parts, and the body's MD5 as the fourth when there is a body. */
export function signatureOrigin(algorithm: string, date: string, requestInfo: string, md5: readonly string[]): string {
  return [algorithm, date, requestInfo, ...md5].join(DELIMITER);
}

/** A time in the format `YYYY-MM-DDTHH:MM:SSZ`. */
export function signedDate(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
