import { jittered } from './callback-schedule.ts';
import { HOUR_MS } from '../kernel/index.ts';
import type { Millis, Random } from '../kernel/index.ts';
import type { NoticeChanges } from './notice-store.ts';
import type { NoticeOutcome } from './notifier.ts';

const MINUTE = 60_000;

/** Delays between attempts in milliseconds: 30 s to 8 h, about a day in total. */
export const NOTICE_SCHEDULE_MS: readonly number[] = [
  MINUTE / 2,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
];
/** The longest delay that a receiver may request, in milliseconds. */
const MAX_RETRY_AFTER_MS = 8 * HOUR_MS;
const MAX_REASON = 200;

/**
 * The consequence of an attempt: SENT, a retry, or DEAD after the last one of the schedule, or when no attempt can
 * succeed.
 *
 * @param former - the number of attempts before this one
 */
export function afterNotice(outcome: NoticeOutcome, former: number, now: Millis, random: Random): NoticeChanges {
  const attempts = former + 1;
  if (outcome.kind === 'sent') return { status: 'SENT', attempts, nextAt: now, sentAt: now, lastError: null };
  const lastError = outcome.reason.slice(0, MAX_REASON);
  const delayMs = NOTICE_SCHEDULE_MS[former];
  if (outcome.final === true || delayMs === undefined)
    return { status: 'DEAD', attempts, nextAt: now, sentAt: null, lastError };
  const asked = Math.min(outcome.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return {
    status: 'PENDING',
    attempts,
    nextAt: now + Math.max(jittered(delayMs, random), asked),
    sentAt: null,
    lastError,
  };
}
