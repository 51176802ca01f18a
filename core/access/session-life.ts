import type { Millis } from '../kernel/index.ts';
import type { Session } from './session.ts';

/** How long a session lasts without a request, in seconds; the default of the setting. */
export const DEFAULT_SESSION_IDLE_SECONDS = 900;
/** The most open sessions of an account; the default of the setting. */
export const DEFAULT_SESSIONS_PER_ACCOUNT = 20;

/** The shortest interval in milliseconds at which a session's last use is stored, so that not every read writes. */
const NOTED_MS = 60_000;

/** The lifetime of sessions, and the most of an account. */
export interface SessionLife {
  /** The lifetime since the login, in milliseconds, whatever the use. */
  readonly ttlMs: Millis;
  /** The lifetime without a request, in milliseconds. */
  readonly idleMs: Millis;
  /** The most open sessions of an account; another one ends the oldest. */
  readonly most: number;
}

/** The times that decide whether a session is open: it expires after `now`, and was last used after `usedAfter`. */
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

/** Whether the last use must be stored: once a minute, or once in a tenth of a short idle limit. */
export function isToBeNoted({ lastUsedAt }: Session, { idleMs }: SessionLife, now: Millis): boolean {
  return now - lastUsedAt >= Math.min(NOTED_MS, idleMs / 10);
}
