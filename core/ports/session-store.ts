import type { Account } from '../accounts/account.ts';
import type { AccountId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Session, SessionRenewal } from '../manage/session.ts';
import type { OpenTimes } from '../manage/session-life.ts';

/** Sessions of the management API. Look-ups see every committed change, so an ended session is refused at once. */
export interface SessionStore {
  /** The session of a token's hash, with its account. */
  find(tokenHash: string): Promise<{ readonly session: Session; readonly account: Account } | null>;
  /** The sessions of an account that are open by these times, newest first. */
  ofAccount(accountId: AccountId, times: OpenTimes): Promise<readonly Session[]>;
  /** Notes that a session was used, unless that was noted for this time or a later one. */
  noteUse(tokenHash: string, at: Millis): Promise<void>;
  /** Deletes sessions that are not open by these times; returns how many. */
  prune(times: OpenTimes, limit: number): Promise<number>;
}

/** Sessions, inside a transaction. */
export interface SessionWrites {
  create(session: Session): Promise<void>;
  /** Ends the oldest sessions of an account beside the one of this hash, until there are this many in all; returns how many. */
  endOldest(accountId: AccountId, most: number, but: string): Promise<number>;
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
