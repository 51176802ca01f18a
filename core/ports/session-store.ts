import type { Account } from '../accounts/account.ts';
import type { AccountId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Session, SessionRenewal } from '../manage/session.ts';

/** Sessions of the management API. Look-ups see every committed change, so an ended session is refused at once. */
export interface SessionStore {
  /** The session of a token's hash, with its account. */
  find(tokenHash: string): Promise<{ readonly session: Session; readonly account: Account } | null>;
  /** The sessions of an account that are not over, newest first. */
  ofAccount(accountId: AccountId, now: Millis): Promise<readonly Session[]>;
  /** Deletes expired sessions; returns how many. */
  prune(now: Millis, limit: number): Promise<number>;
}

/** Sessions, inside a transaction. */
export interface SessionWrites {
  create(session: Session): Promise<void>;
  /** False when it was over already. */
  end(tokenHash: string): Promise<boolean>;
  /**
   * Replaces the token of a session, and forgets its wrong passwords. False when the session is over or its token was replaced
   * meanwhile: of two at once, one succeeds.
   */
  renew(tokenHash: string, renewal: SessionRenewal): Promise<boolean>;
  /** Counts a password that is about to be verified; returns how many there are in a row, `null` when the session is over. */
  countPassword(tokenHash: string): Promise<number | null>;
  /** Ends every session of an account but the one of this hash; returns how many. */
  endAll(accountId: AccountId, but?: string | null): Promise<number>;
}
