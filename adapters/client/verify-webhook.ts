import type { WebhookEvent } from '../../core/index.ts';
import {
  CallbackRejectedError,
  checkTime,
  decode,
  isSignedStandard,
  readJson,
  requiredHeaders,
  stampedAt,
} from './callback-checks.ts';
import type { TimeOptions } from './callback-checks.ts';
import { WEBHOOK_HEADERS } from './callback-form.ts';
import { readRequest } from './callback-request.ts';
import type { PlainRequest } from './callback-request.ts';
import type { CallbackOrder } from './records.ts';

/** A webhook endpoint's secrets, `whsec_…`: one, or several during a rotation. */
export interface VerifyWebhookOptions extends TimeOptions {
  readonly secrets: readonly string[];
}

/** The types of an order's events. */
export type OrderWebhookType = Extract<WebhookEvent, `order.${string}`>;

/** What an event of one type has. */
export interface WebhookFrame<Type extends WebhookEvent, Data> {
  /** The event's id, the same at each attempt, so that repeated ones can be ignored. */
  readonly id: string;
  /** When this attempt was signed, epoch milliseconds. */
  readonly sentAt: number;
  readonly type: Type;
  /** When it happened; RFC 3339. */
  readonly timestamp: string;
  readonly data: Data;
}

/**
 * An event of a webhook endpoint. One of an order has the record that callbacks have, as it was at `timestamp`: it may come late, again
 * or after a later one, so ask for the order before anything is sold.
 */
export type VerifiedWebhook =
  | WebhookFrame<OrderWebhookType, CallbackOrder>
  | WebhookFrame<Exclude<WebhookEvent, OrderWebhookType>, Readonly<Record<string, unknown>>>;

/**
 * Verifies an event of a webhook endpoint: the signature of Standard Webhooks over id, time and body with one of the secrets, and the
 * time within the tolerance. Such events carry no other signature; those with an order's own URL are {@link verifyCallback}'s.
 *
 * @throws CallbackRejectedError when it is not authentic or not current
 * @throws TypeError for a body that was parsed or read before, and without a secret
 */
export async function verifyWebhook(
  request: Request | PlainRequest,
  { secrets, ...times }: VerifyWebhookOptions,
): Promise<VerifiedWebhook> {
  if (secrets.length === 0) throw new TypeError('An event is verified with at least one secret.');
  const read = await readRequest(request);
  if (read === null) throw new CallbackRejectedError('BODY', 'The body is longer than any event’s.');
  if (read.method !== 'POST') throw new CallbackRejectedError('METHOD', 'An event is a POST.');
  const required = requiredHeaders(read.header);
  const id = required(WEBHOOK_HEADERS.id);
  const timestamp = required(WEBHOOK_HEADERS.timestamp);
  const webhookSignature = required(WEBHOOK_HEADERS.signature);
  const sentAt = stampedAt(timestamp);
  checkTime(sentAt, times);
  const text = decode(read.body);
  if (!(await isSignedStandard({ id, timestamp, webhookSignature }, text, secrets)))
    throw new CallbackRejectedError('SIGNATURE', 'The webhook signature does not verify.');
  // The signature is the server's, so the fields are as documented.
  const event = readJson(text, 'The body is not JSON.') as Pick<VerifiedWebhook, 'type' | 'timestamp' | 'data'>;
  return { ...event, id, sentAt } as VerifiedWebhook;
}
