import { equalBytes, fromBase64 } from './bytes.ts';
import { secretBase64, webhookText } from './callback-form.ts';
import { hmac } from './hmac.ts';

/** Why a callback was rejected. */
export type CallbackRejection = 'METHOD' | 'HEADER_MISSING' | 'EXPIRED' | 'BODY' | 'SIGNATURE' | 'CONTENT';

/** The request is not an authentic, current callback: reply with 400 and do nothing. */
export class CallbackRejectedError extends Error {
  override readonly name = 'CallbackRejectedError';
  readonly reason: CallbackRejection;

  constructor(reason: CallbackRejection, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The default tolerance, in seconds, for the age of a callback. */
const DEFAULT_TOLERANCE_S = 300;

/** Options for checking the time of a callback. */
export interface TimeOptions {
  /** How old or early a callback may be, in seconds; 300 by default. */
  readonly toleranceSeconds?: number;
  /** Replaces the runtime's clock; epoch milliseconds. */
  readonly now?: number;
}

/** @throws CallbackRejectedError when a time, in epoch milliseconds, is outside the tolerance or NaN */
export function checkTime(at: number, { toleranceSeconds = DEFAULT_TOLERANCE_S, now = Date.now() }: TimeOptions): void {
  // Written this way so that NaN is refused too.
  if (Math.abs(now - at) <= toleranceSeconds * 1000) return;
  throw new CallbackRejectedError(
    'EXPIRED',
    `The time of the callback is not within ${toleranceSeconds} seconds of now, or not in the right form.`,
  );
}

/** The `webhook-timestamp` in epoch milliseconds; NaN for any other text. */
export const stampedAt = (timestamp: string): number => (/^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1000 : NaN);

/** A reader of required headers. @throws CallbackRejectedError when the header is missing or empty */
export function requiredHeaders(header: (name: string) => string | null): (name: string) => string {
  return (name) => {
    const value = header(name);
    if (value === null || value === '')
      throw new CallbackRejectedError('HEADER_MISSING', `The header ${name} is missing.`);
    return value;
  };
}

/** The headers of Standard Webhooks. */
export interface StandardHeaders {
  readonly id: string;
  readonly timestamp: string;
  /** One signature, or several separated by spaces during a rotation. */
  readonly webhookSignature: string;
}

/** Whether one of the Standard Webhooks signatures of this content verifies with one of the secrets (`whsec_…`). */
export function isSignedStandard(
  { id, timestamp, webhookSignature }: StandardHeaders,
  content: string,
  secrets: readonly string[],
): Promise<boolean> {
  const signatures = webhookSignature.split(' ').flatMap((each) => (each.startsWith('v1,') ? [each.slice(3)] : []));
  return anyMatches(signatures, secrets.map(secretBytes), webhookText(id, timestamp, content));
}

/**
 * Whether one of the signatures verifies with one of the secrets. It compares every pair, so that the time it takes
 * reveals nothing.
 */
export async function anyMatches(
  signatures: readonly string[],
  secrets: readonly Uint8Array<ArrayBuffer>[],
  text: string,
): Promise<boolean> {
  const presented = signatures.flatMap((signature) => fromBase64(signature) ?? []);
  let matched = false;
  for (const secret of secrets) {
    const expected = await hmac('HMAC-SHA256', secret, text);
    for (const bytes of presented) matched = equalBytes(bytes, expected) || matched;
  }
  return matched;
}

/** @throws TypeError for an invalid secret */
function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secretBase64(secret));
  if (bytes === null || bytes.length === 0)
    throw new TypeError('A callback secret is whsec_ and the base64 of its bytes.');
  return bytes;
}

/** @throws CallbackRejectedError for bytes that are not UTF-8 */
export function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new CallbackRejectedError('BODY', 'The body is not UTF-8.');
  }
}

/** @throws CallbackRejectedError with the problem, for a text that is not JSON */
export function readJson(text: string, problem: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CallbackRejectedError('CONTENT', problem);
  }
}
