import type { Millis } from '../kernel/time.ts';
import type { Session } from './session.ts';

/** How long a session lasts without a request; the setting's default. */
export const DEFAULT_SESSION_IDLE_SECONDS = 900;
/** How many sessions of an account are open at once; the setting's default. */
export const DEFAULT_SESSIONS_PER_ACCOUNT = 20;

/** A request is noted when none was for so long, so that reading does not write each time. */
const NOTED_MS = 60_000;

/** How long sessions last, and how many an account has. */
export interface SessionLife {
  /** From the login on, whatever is done with it. */
  readonly ttlMs: Millis;
  /** Without a request. */
  readonly idleMs: Millis;
  /** How many an account has at once; another one ends the oldest. */
  readonly most: number;
}

/** What a session is open by: it ends after `now`, and was used after `usedAfter`. */
export interface OpenTimes {
  readonly now: Millis;
  readonly usedAfter: Millis;
}

export function openTimes({ idleMs }: SessionLife, now: Millis): OpenTimes {
  return { now, usedAfter: now - idleMs };
}

/** True for a session that has neither ended nor been idle for too long. */
export function lasts({ expiresAt, lastUsedAt }: Session, { now, usedAfter }: OpenTimes): boolean {
  return now < expiresAt && usedAfter < lastUsedAt;
}

/** True when a request has to be noted: it counts for a minute, or for a tenth of a short idle time. */
export function isToBeNoted({ lastUsedAt }: Session, { idleMs }: SessionLife, now: Millis): boolean {
  return now - lastUsedAt >= Math.min(NOTED_MS, idleMs / 10);
}
