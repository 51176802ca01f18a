import type { Account } from './account.ts';
import type { AccountId, Millis } from '../kernel/index.ts';
import type { Session, SessionRenewal } from './session.ts';
import type { OpenTimes } from './session-life.ts';

/** Sessions of the management API. Look-ups see every committed change, so an ended session is refused at once. */
export interface SessionStore {
  /** The session with this token hash, and its account. */
  find(tokenHash: string): Promise<{ readonly session: Session; readonly account: Account } | null>;
  /** The sessions of an account that are open by these times, newest first. */
  ofAccount(accountId: AccountId, times: OpenTimes): Promise<readonly Session[]>;
  /** Stores when a session was last used; a time that is not later than the stored one is ignored. */
  noteUse(tokenHash: string, at: Millis): Promise<void>;
  /** Deletes sessions that are not open by these times; returns how many. */
  prune(times: OpenTimes, limit: number): Promise<number>;
}

/** Sessions, inside a transaction. */
export interface SessionWrites {
  create(session: Session): Promise<void>;
  /** Ends an account's oldest sessions, except the one of this hash, until `most` are left; returns how many. */
  endOldest(accountId: AccountId, most: number, but: string): Promise<number>;
  /** Ends a session; false when it had ended before. */
  end(tokenHash: string): Promise<boolean>;
  /**
   * Replaces the token of a session and resets its count of wrong passwords. False when the session has ended or its
   * token was replaced meanwhile: of two concurrent calls, one succeeds.
   */
  renew(tokenHash: string, renewal: SessionRenewal): Promise<boolean>;
  /** Counts a password before it is verified; returns the consecutive ones, `null` when the session has ended. */
  countPassword(tokenHash: string): Promise<number | null>;
  /** Ends every session of an account except the one of this hash; returns how many. */
  endAll(accountId: AccountId, but?: string | null): Promise<number>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly sessions: SessionStore;
  }
  interface Transaction {
    readonly sessions: SessionWrites;
  }
}
