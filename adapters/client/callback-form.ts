import type { CallbackOrder } from './records.ts';

/** The events of callbacks: the order was paid, or it expired. */
export type CallbackEvent = 'order.succeeded' | 'order.timeout';

/** The order's fields that the query of a GET callback contains. */
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

/** The names of the fields of {@link CallbackSummary} in the query, after `event`. */
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

/** The event that each order status leads to. */
const EVENTS: Readonly<Record<string, CallbackEvent>> = {
  SUCCESS: 'order.succeeded',
  RESOLVED: 'order.succeeded',
  OVERDUE: 'order.timeout',
  PARTIAL: 'order.timeout',
};

/** The event for an order's status at the time of its callback; `null` for a status without a callback. */
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

/** The base64 part of a callback secret, without `whsec_`. */
export function secretBase64(callbackSecret: string): string {
  return callbackSecret.startsWith(SECRET_PREFIX) ? callbackSecret.slice(SECRET_PREFIX.length) : callbackSecret;
}

/** The text that Standard Webhooks signs; for a GET, the full URL takes the place of the body. */
export function webhookText(id: string, timestamp: string, content: string): string {
  return `${id}.${timestamp}.${content}`;
}
