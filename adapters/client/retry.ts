import { TillgateApiError, TillgateConnectionError, TillgateReplyError } from './errors.ts';

/** The policy for retrying requests that are safe to retry. */
export interface RetryOptions {
  /** The maximum number of attempts, including the first; 4 by default, 1 for no retries. */
  readonly tries?: number;
  /** The first delay in milliseconds, 250 by default; it doubles each time. */
  readonly baseMs?: number;
  /** The longest delay in milliseconds, unless the server asks for more; 8,000 by default. */
  readonly maxMs?: number;
  /** The longest accepted `Retry-After` in milliseconds, 60,000 by default; a longer one fails at once. */
  readonly maxRetryAfterMs?: number;
}

export const DEFAULT_RETRY: Required<RetryOptions> = { tries: 4, baseMs: 250, maxMs: 8_000, maxRetryAfterMs: 60_000 };

const TRANSIENT_STATUS: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
/** The first request is still running, or the signature was used before; each attempt has a new signature. */
const TRANSIENT_CODE: ReadonlySet<string> = new Set(['idempotency_running', 'signature_replayed']);

/**
 * The delay before the next attempt in milliseconds; `null` for no further attempt.
 *
 * @param tried - the number of times the request was sent
 * @param chance - a random number from 0 to 1 for the jitter, which is half of each delay, so that clients that failed
 *   together do not retry together
 */
export function pauseBefore(
  error: unknown,
  tried: number,
  options: Required<RetryOptions>,
  chance: number,
): number | null {
  if (tried >= options.tries || !isTransient(error)) return null;
  const asked = error instanceof TillgateApiError || error instanceof TillgateReplyError ? error.retryAfterMs : null;
  if (asked !== null && asked > options.maxRetryAfterMs) return null;
  const own = Math.min(options.maxMs, options.baseMs * 2 ** (tried - 1));
  return Math.max(asked ?? 0, Math.round(own * (0.5 + chance / 2)));
}

function isTransient(error: unknown): boolean {
  if (error instanceof TillgateConnectionError) return !error.aborted;
  if (error instanceof TillgateApiError)
    return TRANSIENT_STATUS.has(error.httpStatus) || TRANSIENT_CODE.has(error.code);
  return error instanceof TillgateReplyError && TRANSIENT_STATUS.has(error.httpStatus);
}

/** The value of a `Retry-After` header in milliseconds: seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** Waits; it ends early when the signal aborts. */
export function pause(ms: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end);
  });
}
