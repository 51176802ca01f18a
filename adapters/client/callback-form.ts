import type { CallbackOrder } from './records.ts';

/** What a callback tells: the order was paid, or its time ran out. */
export type CallbackEvent = 'order.succeeded' | 'order.timeout';

/** What a GET callback tells of the order in its query (decisions, section 7). */
export type CallbackSummary = Pick<CallbackOrder, 'order_id' | 'status' | 'chain' | 'currency' | 'amount' | 'vs_price' | 'vs_currency' | 'tx_hash'>;

/** The names of {@link CallbackSummary} in the query, after `event`. */
export const SUMMARY_FIELDS = ['order_id', 'status', 'chain', 'currency', 'amount', 'vs_price', 'vs_currency', 'tx_hash'] as const satisfies readonly (keyof CallbackSummary)[];

/** Which event leads to which state (decisions, section 4). */
const EVENTS: Readonly<Record<string, CallbackEvent>> = {
  SUCCESS: 'order.succeeded',
  RESOLVED: 'order.succeeded',
  OVERDUE: 'order.timeout',
  PARTIAL: 'order.timeout',
};

/** The event of an order's state at the time of its callback; `null` for a state that no callback tells. */
export function eventOf(status: string): CallbackEvent | null {
  return Object.hasOwn(EVENTS, status) ? (EVENTS[status] as CallbackEvent) : null;
}

/** The headers of Standard Webhooks. */
export const WEBHOOK_HEADERS = { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' } as const;

const SECRET_PREFIX = 'whsec_';

/** The base64 of a callback secret, `whsec_` taken off. */
export function secretBase64(callbackSecret: string): string {
  return callbackSecret.startsWith(SECRET_PREFIX) ? callbackSecret.slice(SECRET_PREFIX.length) : callbackSecret;
}

/** What Standard Webhooks sign; a GET's full URL stands for the body that it has not. */
export function webhookText(id: string, timestamp: string, content: string): string {
  return `${id}.${timestamp}.${content}`;
}
