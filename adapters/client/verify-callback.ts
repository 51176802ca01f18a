import { utf8 } from './bytes.ts';
import {
  anyMatches,
  CallbackRejectedError,
  checkTime,
  decode,
  isSignedStandard,
  readJson,
  requiredHeaders,
  stampedAt,
} from './callback-checks.ts';
import type { StandardHeaders, TimeOptions } from './callback-checks.ts';
import { eventOf, SUMMARY_FIELDS, WEBHOOK_HEADERS } from './callback-form.ts';
import type { CallbackEvent, CallbackSummary } from './callback-form.ts';
import { readRequest } from './callback-request.ts';
import type { PlainRequest, ReadRequest } from './callback-request.ts';
import { md5Hex } from './md5.ts';
import type { CallbackOrder } from './records.ts';
import { signatureOrigin } from './sign-request.ts';

/** The callback credential of an account. */
export interface CallbackKey {
  /** Identifies the credential; needed to verify with only the previous secret during a rotation. */
  readonly callbackToken?: string;
  /** `whsec_…` */
  readonly callbackSecret: string;
}

/** The credentials to verify with: one, or several during a rotation. */
export type VerifyOptions = (CallbackKey | { readonly secrets: readonly CallbackKey[] }) &
  TimeOptions & {
    /**
     * The origin that the server calls, `https://shop.example`. GET callbacks behind a proxy need it, because their
     * signature covers the whole URL.
     */
    readonly origin?: string;
  };

/** The common part of every verified callback. */
export interface Verified {
  /** The callback's id, which is the same for each attempt, so that repetitions can be ignored. */
  readonly id: string;
  readonly event: CallbackEvent;
  /** The signing time of this attempt, in epoch milliseconds. */
  readonly sentAt: number;
  /**
   * False when the native signature belongs to a credential that was not given, during a rotation. Only the Standard
   * Webhooks signature was verified then, which does not cover the path of a POST.
   */
  readonly native: boolean;
}

/** A verified callback. A POST contains the whole order, a GET only a part of it. */
export type VerifiedCallback =
  | (Verified & { readonly method: 'POST'; readonly order: CallbackOrder })
  | (Verified & { readonly method: 'GET'; readonly order: CallbackSummary });

const SIGNED_DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/**
 * Verifies a callback: its native signature over method, target and body, its Standard Webhooks signature over id, time
 * and body (for a GET the whole URL), each with one of the given secrets, and both times.
 *
 * @throws CallbackRejectedError when the callback is not authentic or not current
 * @throws TypeError for a body that was parsed or read before
 */
export async function verifyCallback(
  request: Request | PlainRequest,
  options: VerifyOptions,
): Promise<VerifiedCallback> {
  const keys = 'secrets' in options ? options.secrets : [options];
  if (keys.length === 0) throw new TypeError('At least one secret is needed to verify a callback.');
  const read = await readRequest(request);
  if (read === null) throw new CallbackRejectedError('BODY', 'The body is too long for a callback.');
  const { method } = read;
  if (method !== 'POST' && method !== 'GET')
    throw new CallbackRejectedError('METHOD', 'A callback must be a GET or a POST request.');
  const signed = readSigned(read);
  checkTimes(signed, options);
  const native = await verifyNative(read, signed, keys);
  await verifyWebhook(read, signed, keys, options.origin ?? read.origin);
  const common = { id: signed.id, sentAt: Number(signed.timestamp) * 1000, native };
  if (method === 'GET') return { ...common, method, ...summaryOf(read.target) };
  return { ...common, method, ...orderOf(read.body) };
}

/** The headers that carry the signatures of a callback. */
interface Signed extends StandardHeaders {
  readonly token: string;
  readonly algorithm: string;
  readonly date: string;
  readonly bodyMd5: string;
  readonly signature: string;
}

function readSigned({ header }: ReadRequest): Signed {
  const required = requiredHeaders(header);
  return {
    token: required('API-Token'),
    algorithm: required('Algorithm'),
    date: required('Date'),
    bodyMd5: header('Body-MD5') ?? '',
    signature: required('Signature'),
    id: required(WEBHOOK_HEADERS.id),
    timestamp: required(WEBHOOK_HEADERS.timestamp),
    webhookSignature: required(WEBHOOK_HEADERS.signature),
  };
}

function checkTimes({ date, timestamp }: Signed, options: TimeOptions): void {
  checkTime(SIGNED_DATE.test(date) ? Date.parse(date) : NaN, options);
  checkTime(stampedAt(timestamp), options);
}

/**
 * Whether the native signature was verified; false when it belongs to a credential that was not given, as after a
 * rotation.
 */
async function verifyNative(
  { method, target, body }: ReadRequest,
  signed: Signed,
  keys: readonly CallbackKey[],
): Promise<boolean> {
  const { algorithm, date, bodyMd5, signature, token } = signed;
  if (bodyMd5.toLowerCase() !== (body.length === 0 ? '' : md5Hex(body)))
    throw new CallbackRejectedError('BODY', 'Body-MD5 is not the MD5 of the body that arrived.');
  if (algorithm !== 'HMAC-SHA256')
    throw new CallbackRejectedError('SIGNATURE', 'The algorithm of a callback must be HMAC-SHA256.');
  const own = keys.filter(({ callbackToken }) => callbackToken === undefined || callbackToken === token);
  if (own.length === 0) return false;
  const origin = signatureOrigin(algorithm, date, `${method} ${target}`, body.length === 0 ? [] : [bodyMd5]);
  const matched = await anyMatches(
    [signature],
    own.map(({ callbackSecret }) => utf8(callbackSecret)),
    origin,
  );
  if (!matched) throw new CallbackRejectedError('SIGNATURE', 'The signature of the till does not verify.');
  return true;
}

async function verifyWebhook(
  read: ReadRequest,
  signed: Signed,
  keys: readonly CallbackKey[],
  origin: string | null,
): Promise<void> {
  const { method, target, body } = read;
  if (method === 'GET' && origin === null)
    throw new TypeError('A GET callback is verified by its whole URL: pass the origin that the till calls.');
  const content = method === 'GET' ? new URL(origin ?? '').origin + target : decode(body);
  const secrets = keys.map(({ callbackSecret }) => callbackSecret);
  if (await isSignedStandard(signed, content, secrets)) return;
  throw new CallbackRejectedError(
    'SIGNATURE',
    `The webhook signature does not verify${method === 'GET' ? `; it covers the whole URL, here at ${String(origin)}` : ''}.`,
  );
}

function orderOf(body: Uint8Array): { event: CallbackEvent; order: CallbackOrder } {
  const order = readJson(decode(body), 'The body is not JSON.') as Partial<CallbackOrder> | null;
  // The server signed it, so the fields are as documented.
  return { event: knownEvent(order?.status ?? ''), order: order as CallbackOrder };
}

function summaryOf(target: string): { event: CallbackEvent; order: CallbackSummary } {
  const query = new URL(target, 'http://callback.invalid').searchParams;
  const fields = SUMMARY_FIELDS.map((name) => [name, query.get(name) ?? ''] as const);
  const order = Object.fromEntries(fields) as unknown as CallbackSummary;
  const event = knownEvent(order.status);
  if (query.get('event') !== event)
    throw new CallbackRejectedError('CONTENT', 'The event of the callback does not match its status.');
  return {
    event,
    order: {
      ...order,
      tx_hash: order.tx_hash === '' ? null : order.tx_hash,
      merchant_reference: order.merchant_reference === '' ? null : order.merchant_reference,
      // Earlier releases do not send metadata.
      metadata: readJson(query.get('metadata') ?? '{}', 'The metadata is not JSON.') as CallbackSummary['metadata'],
    },
  };
}

function knownEvent(status: string): CallbackEvent {
  const event = eventOf(status);
  if (event === null)
    throw new CallbackRejectedError('CONTENT', 'The status of the callback is unknown to this client.');
  return event;
}
