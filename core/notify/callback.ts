import type { AccountId, CallbackId, CredentialId, Millis, OrderId, WebhookId } from '../kernel/index.ts';
import type { WebhookEvent } from './event-types.ts';

/** PENDING: due, or waiting for its next attempt. DEAD: given up; an operator can replay it. */
export const CALLBACK_STATUSES = ['PENDING', 'DELIVERED', 'DEAD'] as const;
export type CallbackStatus = (typeof CALLBACK_STATUSES)[number];

/** Every transition of a callback, by event. */
export const CALLBACK_TRANSITIONS = {
  deliver: { from: ['PENDING'], to: 'DELIVERED' },
  retry: { from: ['PENDING'], to: 'PENDING' },
  giveUp: { from: ['PENDING'], to: 'DEAD' },
  replay: { from: ['DEAD', 'DELIVERED'], to: 'PENDING' },
} as const satisfies Record<string, { from: readonly CallbackStatus[]; to: CallbackStatus }>;

/** A row of the outbox, written in the transaction of the status change that it reports. */
export interface Callback {
  readonly id: CallbackId;
  /** `null` for an event of the till's own handlers, which operators alone see. */
  readonly accountId: AccountId | null;
  /** The order whose own URL is called; `null` for an event of a webhook endpoint. */
  readonly orderId: OrderId | null;
  /** The webhook endpoint that receives the event, or `HANDLERS`; `null` for a callback of an order. */
  readonly endpointId: WebhookId | null;
  /** The record that an endpoint's event is about; `null` for a callback of an order. */
  readonly subjectId: string | null;
  /** Unique together with the order: one row for each terminal event. */
  readonly event: WebhookEvent;
  readonly credentialId: CredentialId | null;
  readonly method: 'GET' | 'POST';
  /**
   * The merchant's URL, for a GET with the till's query parameters added. A PENDING row of an endpoint follows changes
   * of the endpoint's URL.
   */
  readonly url: string;
  /** The JSON body of a POST; `null` for a GET, and for a delivered POST whose body was removed. */
  readonly body: string | null;
  readonly status: CallbackStatus;
  readonly attempts: number;
  readonly nextAt: Millis;
  readonly createdAt: Millis;
  readonly deliveredAt: Millis | null;
}

/** True when a callback cannot be replayed: its body was removed, and the order has changed since. */
export function bodyIsGone({ method, body }: Pick<Callback, 'method' | 'body'>): boolean {
  return method === 'POST' && body === null;
}

/** One attempt, kept for operators. */
export interface CallbackAttempt {
  readonly callbackId: CallbackId;
  readonly at: Millis;
  readonly durationMs: number;
  readonly httpStatus: number | null;
  readonly error: string | null;
}
