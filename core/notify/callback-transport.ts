import type { AccountId, OrderId } from '../kernel/index.ts';
import { token } from '../kernel/index.ts';

/** A request to a merchant's URL. */
export interface CallbackRequest {
  /** The account that sends it: accounts share the connections to one address. */
  readonly accountId: AccountId;
  /** The order that the callback is about; `null` or absent for other events. */
  readonly orderId?: OrderId | null;
  /** The number of the attempt, from 1. */
  readonly attempt?: number;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The outcome of an attempt, with or without an HTTP status. */
export type CallbackAttemptOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfterSeconds: number | null;
      readonly durationMs: number;
    }
  | { readonly kind: 'failed'; readonly reason: string; readonly durationMs: number };

/**
 * The outcome of `send`. `busy`: nothing was sent because too many connections to the address are open; this is not an
 * attempt, and is retried soon.
 */
export type CallbackOutcome = CallbackAttemptOutcome | { readonly kind: 'busy' };

/**
 * Sends callbacks. One deadline covers the whole exchange, redirects are not followed, the size of the reply is
 * limited, and every resolved address is checked before connecting to exactly that address.
 */
export interface CallbackTransport {
  send(request: CallbackRequest): Promise<CallbackOutcome>;
}

export const CALLBACK_TRANSPORT = token<CallbackTransport>('CallbackTransport');
