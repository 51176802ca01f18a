import type { AccountId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** A session of the management API. Only a keyed hash of its token is stored. */
export interface Session {
  readonly tokenHash: string;
  readonly accountId: AccountId;
  /** The account's `authVersion` at the login: sessions with an older one are invalid. */
  readonly authVersion: number;
  /** True for a browser's session, whose token is accepted only in a cookie. */
  readonly cookie: boolean;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
  /** A request of it, at most a minute before the latest one. */
  readonly lastUsedAt: Millis;
  /** Until then the session counts as proved by a fresh factor; `null` before the first step-up. */
  readonly raisedUntil: Millis | null;
  /** Wrong passwords in a row; {@link MAX_WRONG_PASSWORDS} end the session. */
  readonly wrongPasswords: number;
  /** Whence it was opened. */
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** What a session gets when its token is replaced; its age, its end and whence it was opened stay. */
export type SessionRenewal = Pick<Session, 'tokenHash' | 'authVersion' | 'raisedUntil'>;

/** What a session is called in lists, until its token is replaced: it says nothing about the token. */
export function sessionId({ tokenHash }: Pick<Session, 'tokenHash'>): string {
  return tokenHash.slice(0, 32);
}

/** As many tries as a code has (decisions, section 5). */
export const MAX_WRONG_PASSWORDS = 5;

/** True while the session is raised by a fresh factor. */
export function isRaised({ raisedUntil }: Pick<Session, 'raisedUntil'>, now: Millis): boolean {
  return raisedUntil !== null && now < raisedUntil;
}
