import type { EventData } from './api.ts';
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
import { fromWire } from './names.ts';

/** The secrets of a webhook endpoint, `whsec_…`: one, or several during a rotation. */
export interface VerifyWebhookOptions extends TimeOptions {
  readonly secrets: readonly string[];
}

/** The types of the events of webhook endpoints. */
export type WebhookType = keyof EventData;

/** The fields that events of one type have. */
export interface WebhookFrame<Type extends WebhookType> {
  /** The event's id, which is the same for each attempt, so that repetitions can be ignored. */
  readonly id: string;
  /** The signing time of this attempt, in epoch milliseconds. */
  readonly sentAt: number;
  readonly type: Type;
  /** The time of the event, in RFC 3339. */
  readonly timestamp: string;
  readonly data: EventData[Type];
}

/**
 * A verified event of a webhook endpoint. An order event has the order in its state at `timestamp`.
 * It may arrive late, repeatedly or after a later event, so retrieve the order before you deliver goods.
 */
export type VerifiedWebhook = { readonly [Type in WebhookType]: WebhookFrame<Type> }[WebhookType];

/**
 * Verifies an event of a webhook endpoint: its Standard Webhooks signature over id, time and body with one of the
 * secrets, and its time. Such events carry no other signature. For callbacks to an order's own URL use {@link
 * verifyCallback}.
 *
 * @throws CallbackRejectedError when the event is not authentic or not current
 * @throws TypeError for a body that was parsed or read before, and without a secret
 */
export async function verifyWebhook(
  request: Request | PlainRequest,
  { secrets, ...times }: VerifyWebhookOptions,
): Promise<VerifiedWebhook> {
  if (secrets.length === 0) throw new TypeError('At least one secret is needed to verify an event.');
  const read = await readRequest(request);
  if (read === null) throw new CallbackRejectedError('BODY', 'The body is too long for an event.');
  if (read.method !== 'POST') throw new CallbackRejectedError('METHOD', 'An event must be a POST request.');
  const required = requiredHeaders(read.header);
  const id = required(WEBHOOK_HEADERS.id);
  const timestamp = required(WEBHOOK_HEADERS.timestamp);
  const webhookSignature = required(WEBHOOK_HEADERS.signature);
  const sentAt = stampedAt(timestamp);
  checkTime(sentAt, times);
  const text = decode(read.body);
  if (!(await isSignedStandard({ id, timestamp, webhookSignature }, text, secrets)))
    throw new CallbackRejectedError('SIGNATURE', 'The webhook signature does not verify.');
  // The server signed it, so the fields are as documented.
  const event = readJson(text, 'The body is not JSON.') as Pick<VerifiedWebhook, 'type' | 'timestamp' | 'data'>;
  return { ...event, data: fromWire(event.data), id, sentAt } as VerifiedWebhook;
}
