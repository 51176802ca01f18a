import type { AccountId, Millis } from '../kernel/index.ts';

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
  /** The time of its last use, up to a minute before the latest request. */
  readonly lastUsedAt: Millis;
  /** The end of the latest step-up; `null` before the first one. */
  readonly raisedUntil: Millis | null;
  /** Consecutive wrong passwords; {@link MAX_WRONG_PASSWORDS} end the session. */
  readonly wrongPasswords: number;
  /** The address from which it was opened. */
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** The fields that change when a session's token is replaced; its age, its expiry and its origin stay. */
export type SessionRenewal = Pick<Session, 'tokenHash' | 'authVersion' | 'raisedUntil'>;

/** Public session handle until its token is replaced; reveals nothing about the token. */
export function sessionId({ tokenHash }: Pick<Session, 'tokenHash'>): string {
  return tokenHash.slice(0, 32);
}

/** The same number of attempts as for a code. */
export const MAX_WRONG_PASSWORDS = 5;

/** True while a step-up of the session lasts. */
export function isRaised({ raisedUntil }: Pick<Session, 'raisedUntil'>, now: Millis): boolean {
  return raisedUntil !== null && now < raisedUntil;
}
