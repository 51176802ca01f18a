import type { CallbackOrder } from './records.ts';

/** The events of callbacks: the order was paid, or it expired. */
export type CallbackEvent = 'order.succeeded' | 'order.timeout';

/** The order's fields in the query of a GET callback (decisions, section 7). */
export type CallbackSummary = Pick<
  CallbackOrder,
  | 'order_id'
  | 'status'
  | 'chain'
  | 'currency'
  | 'amount'
  | 'vs_price'
  | 'vs_currency'
  | 'tx_hash'
  | 'merchant_reference'
  | 'metadata'
>;

/** The names of {@link CallbackSummary} in the query, after `event`. */
export const SUMMARY_FIELDS = [
  'order_id',
  'status',
  'chain',
  'currency',
  'amount',
  'vs_price',
  'vs_currency',
  'tx_hash',
  'merchant_reference',
  'metadata',
] as const satisfies readonly (keyof CallbackSummary)[];

/** Which event leads to which state (decisions, section 4). */
const EVENTS: Readonly<Record<string, CallbackEvent>> = {
  SUCCESS: 'order.succeeded',
  RESOLVED: 'order.succeeded',
  OVERDUE: 'order.timeout',
  PARTIAL: 'order.timeout',
};

/** The event of an order's state at the time of its callback; `null` for a state without a callback. */
export function eventOf(status: string): CallbackEvent | null {
  return Object.hasOwn(EVENTS, status) ? (EVENTS[status] as CallbackEvent) : null;
}

/** The headers of Standard Webhooks. */
export const WEBHOOK_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

const SECRET_PREFIX = 'whsec_';

/** The base64 of a callback secret, without `whsec_`. */
export function secretBase64(callbackSecret: string): string {
  return callbackSecret.startsWith(SECRET_PREFIX) ? callbackSecret.slice(SECRET_PREFIX.length) : callbackSecret;
}

/** The text that Standard Webhooks signs; for a GET the full URL in place of a body. */
export function webhookText(id: string, timestamp: string, content: string): string {
  return `${id}.${timestamp}.${content}`;
}
