import { token } from './token.ts';

/** A request to a merchant's URL. */
export interface CallbackRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The outcome of an attempt: with an HTTP status, or without one. */
export type CallbackOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfterSeconds: number | null;
      readonly durationMs: number;
    }
  | { readonly kind: 'failed'; readonly reason: string; readonly durationMs: number };

/**
 * Sends callbacks: with one deadline for everything, no redirects, a limit of the reply's size, and every resolved address
 * checked before connecting to exactly that address (decisions, section 7).
 */
export interface CallbackTransport {
  send(request: CallbackRequest): Promise<CallbackOutcome>;
}

export const CALLBACK_TRANSPORT = token<CallbackTransport>('CallbackTransport');
