/** Every event that webhook endpoints can receive. */
export const WEBHOOK_EVENTS = [
  'order.created',
  'order.succeeded',
  'order.timeout',
  'order.terminated',
  'order.refunded',
  'refund.requested',
  'refund.succeeded',
  'refund.failed',
  'withdrawal.requested',
  'withdrawal.held',
  'withdrawal.succeeded',
  'withdrawal.failed',
  'payout.requested',
  'payout.held',
  'payout.succeeded',
  'payout.failed',
  'claim.requested',
  'claim.approved',
  'claim.rejected',
  'deposit.seen',
  'deposit.credited',
  'deposit.spendable',
  'deposit.orphaned',
  'deposit.unassigned',
  'security.changed',
  'security.pending',
  'alert.raised',
  'webhook.test',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** The event of `POST webhooks/{id}/test`, sent to the endpoint whatever its subscriptions are. */
export const TEST_EVENT: Extract<WebhookEvent, 'webhook.test'> = 'webhook.test';

/** The types that can be handled in process; the test event is for endpoints alone. */
export type HandledType = Exclude<WebhookEvent, 'webhook.test'>;

const groupOf = (event: WebhookEvent): string => `${event.slice(0, event.indexOf('.'))}.*`;
/** Every type but the test event. */
export const SUBSCRIBABLE = WEBHOOK_EVENTS.filter((event) => event !== TEST_EVENT);

/** Subscriptions of an endpoint: a type, or all types of a group. */
export const WEBHOOK_PATTERNS: readonly string[] = [...new Set(SUBSCRIBABLE.map(groupOf)), ...SUBSCRIBABLE];

/** Whether one of these patterns covers an event. */
export function covers(patterns: readonly string[], event: WebhookEvent): boolean {
  return patterns.includes(event) || patterns.includes(groupOf(event));
}
