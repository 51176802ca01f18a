import type { AccountId, OrderId } from '../kernel/ids.ts';
import { token } from './token.ts';

/** A request to a merchant's URL. */
export interface CallbackRequest {
  /** Whose callback it is: accounts share the connections to one address. */
  readonly accountId: AccountId;
  /** The order that it is about; `null` or left out for another event. */
  readonly orderId?: OrderId | null;
  /** Which attempt it is, from 1. */
  readonly attempt?: number;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The outcome of an attempt: with an HTTP status, or without one. */
export type CallbackAttemptOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfterSeconds: number | null;
      readonly durationMs: number;
    }
  | { readonly kind: 'failed'; readonly reason: string; readonly durationMs: number };

/** The same, or that nothing was sent, because too many connections to the address are open: no attempt, it is tried again soon. */
export type CallbackOutcome = CallbackAttemptOutcome | { readonly kind: 'busy' };

/**
 * Sends callbacks: with one deadline for everything, no redirects, a limit of the reply's size, and every resolved address
 * checked before connecting to exactly that address (decisions, section 7).
 */
export interface CallbackTransport {
  send(request: CallbackRequest): Promise<CallbackOutcome>;
}

export const CALLBACK_TRANSPORT = token<CallbackTransport>('CallbackTransport');
