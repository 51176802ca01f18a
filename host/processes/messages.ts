import type { CollectedMetrics } from '../../adapters/metrics/index.ts';
import type { Reloaded } from '../boot/reloading.ts';
import { isTillgateError, TillgateError } from '../../core/index.ts';
import type { ErrorDetails, ErrorCode } from '../../core/index.ts';

/** Messages from a process to the primary. */
export type FromProcess =
  | { readonly kind: 'serving'; readonly greeting: readonly string[] }
  | { readonly kind: 'failed'; readonly error: SentError }
  /** A newer release has migrated the database. */
  | { readonly kind: 'outdated' }
  /** Requests the metrics of all processes. */
  | { readonly kind: 'scrape'; readonly id: number }
  | { readonly kind: 'collected'; readonly id: number; readonly metrics: CollectedMetrics }
  | { readonly kind: 'reloaded'; readonly id: number; readonly answer: Reloaded };

/** Messages from the primary to a process. */
export type ToProcess =
  | { readonly kind: 'collect'; readonly id: number }
  /** Asks to read the settings again. */
  | { readonly kind: 'reload'; readonly id: number }
  | { readonly kind: 'scraped'; readonly id: number; readonly text: string };

/** Holds the message under our own field, because packages send messages between processes too. */
interface Envelope<Message> {
  readonly tillgate: Message;
}

export const wrapped = <Message>(message: Message): Envelope<Message> => ({ tillgate: message });

/** The message; `null` for one of another package. Both ends are this program, so the content is not validated. */
export function unwrapped<Message>(received: unknown): Message | null {
  if (typeof received !== 'object' || received === null || !('tillgate' in received)) return null;
  return (received as Envelope<Message>).tillgate;
}

/** An error in a form that can be sent to another process. */
export interface SentError {
  readonly message: string;
  readonly stack: string | null;
  /** The fields of a {@link TillgateError}. */
  readonly own: { readonly code: ErrorCode; readonly details: ErrorDetails } | null;
  /** The code of an error of Node. */
  readonly code: string | null;
}

export function sentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { message: String(error), stack: null, own: null, code: null };
  const { message, stack = null } = error;
  const own = isTillgateError(error) ? { code: error.code, details: error.details } : null;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return { message, stack, own, code };
}

export function receivedError({ message, stack, own, code }: SentError): Error {
  if (own !== null) return new TillgateError(own.code, message, own.details);
  const error = code === null ? new Error(message) : Object.assign(new Error(message), { code });
  if (stack !== null) error.stack = stack;
  return error;
}
