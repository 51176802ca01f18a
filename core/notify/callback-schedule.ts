import type { Millis, Random } from '../kernel/index.ts';
import type { CallbackOutcomeChanges } from './callback-store.ts';
import type { CallbackAttemptOutcome } from './callback-transport.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays between attempts in milliseconds: 5 s to 24 h. */
export const CALLBACK_SCHEDULE_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  1 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
];
/** The longest `Retry-After` that is honoured. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;
/** Jitter of 20 % either way, in thousandths, so that receivers that failed together are not retried together. */
const JITTER = { least: 800, most: 1200 } as const;

/** The outcome of an attempt: of a request, or of the till's own handlers. */
export type AttemptOutcome = CallbackAttemptOutcome | { readonly kind: 'handled'; readonly durationMs: number };

/** The outcome of an attempt, as a metric label. */
export type AttemptResult = 'delivered' | 'retry' | 'dead';

/** Any 2xx is a success; everything else, including a redirect, is a failure. */
export function isDelivered(outcome: AttemptOutcome): boolean {
  if (outcome.kind !== 'answered') return outcome.kind === 'handled';
  return outcome.status >= 200 && outcome.status <= 299;
}

/**
 * The consequence of an attempt: DELIVERED, a retry, or DEAD after a 410 or after the last attempt of the schedule.
 *
 * @param former - the number of attempts before this one
 */
export function afterAttempt(
  outcome: AttemptOutcome,
  former: number,
  now: Millis,
  random: Random,
  scheduleMs: readonly number[],
): { readonly result: AttemptResult; readonly changes: CallbackOutcomeChanges } {
  const attempts = former + 1;
  if (isDelivered(outcome)) {
    return { result: 'delivered', changes: { status: 'DELIVERED', attempts, nextAt: now, deliveredAt: now } };
  }
  const delayMs = scheduleMs[former];
  const gone = outcome.kind === 'answered' && outcome.status === 410;
  if (gone || delayMs === undefined) {
    return { result: 'dead', changes: { status: 'DEAD', attempts, nextAt: now, deliveredAt: null } };
  }
  const nextAt = now + Math.max(jittered(delayMs, random), retryAfterMs(outcome));
  return { result: 'retry', changes: { status: 'PENDING', attempts, nextAt, deliveredAt: null } };
}

/** The delay, evenly distributed from 20 % less to 20 % more. */
export function jittered(delayMs: number, random: Random): number {
  const [high = 0, low = 0] = random.bytes(2);
  const share = (high * 256 + low) / 65_535;
  return Math.round((delayMs * (JITTER.least + share * (JITTER.most - JITTER.least))) / 1000);
}

function retryAfterMs(outcome: AttemptOutcome): number {
  const seconds = outcome.kind === 'answered' ? (outcome.retryAfterSeconds ?? 0) : 0;
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(Math.ceil(seconds * SECOND), MAX_RETRY_AFTER_MS) : 0;
}
