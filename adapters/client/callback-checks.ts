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

/** How old or early a callback may be when nothing else is said. */
const DEFAULT_TOLERANCE_S = 300;

/** How a time is judged. */
export interface TimeOptions {
  /** How old or early a callback may be, in seconds; 300 by default. */
  readonly toleranceSeconds?: number;
  /** Replaces the runtime's clock; epoch milliseconds. */
  readonly now?: number;
}

/** @throws CallbackRejectedError for a time, in epoch milliseconds, that is not within the tolerance; NaN is none */
export function checkTime(at: number, { toleranceSeconds = DEFAULT_TOLERANCE_S, now = Date.now() }: TimeOptions): void {
  // Written this way so that NaN is refused too.
  if (Math.abs(now - at) <= toleranceSeconds * 1000) return;
  throw new CallbackRejectedError(
    'EXPIRED',
    `The callback is not of the last ${toleranceSeconds} seconds, or has no time in the right form.`,
  );
}

/** The `webhook-timestamp` in epoch milliseconds; NaN for any other text. */
export const stampedAt = (timestamp: string): number => (/^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1000 : NaN);

/** A reader of headers that have to be there. @throws CallbackRejectedError where one is missing or empty */
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
  /** Several, separated by spaces, during a rotation. */
  readonly webhookSignature: string;
}

/** True when one of the signatures of Standard Webhooks is of this content under one of the secrets (`whsec_…`). */
export function isSignedStandard(
  { id, timestamp, webhookSignature }: StandardHeaders,
  content: string,
  secrets: readonly string[],
): Promise<boolean> {
  const signatures = webhookSignature.split(' ').flatMap((each) => (each.startsWith('v1,') ? [each.slice(3)] : []));
  return anyMatches(signatures, secrets.map(secretBytes), webhookText(id, timestamp, content));
}

/** True when one of the signatures matches the text under one of the secrets; every pair is compared. */
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

/** @throws CallbackRejectedError for bytes that are not text */
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
