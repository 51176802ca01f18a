import type { AccountRole } from '../accounts/account.ts';
import type { AccountId, NoticeId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Notice, NoticePreferences, NoticeStatus, NoticeType } from '../notices/notice.ts';

/** A notice that this instance may send now; the fence distinguishes its claim from a later one. */
export interface ClaimedNotice {
  readonly notice: Notice;
  readonly fence: number;
}

/** The changes of a notice after an attempt. */
export type NoticeChanges = Pick<Notice, 'status' | 'attempts' | 'nextAt' | 'sentAt' | 'lastError'>;

/** An account as its addressee. */
export interface NoticeAccount extends NoticePreferences {
  readonly role: AccountRole;
  readonly email: string;
  readonly name: string | null;
}

/** What was held back of one type, in an hour that is over. */
export interface HeldBack {
  readonly notifier: string;
  readonly accountId: AccountId | null;
  readonly type: NoticeType;
  /** The beginning of the hour. */
  readonly hour: Millis;
  readonly count: number;
}

/** Which notices a list has: those of a status, or all for `null`; those before an id, or the newest for `null`. */
export interface NoticeQuery {
  readonly status: NoticeStatus | null;
  readonly before: NoticeId | null;
  readonly limit: number;
}

/** What persons are told. */
export interface NoticeStore {
  find(id: NoticeId): Promise<Notice | null>;
  /** Newest first. */
  list(query: NoticeQuery): Promise<readonly Notice[]>;
  /** As an addressee, with what it chose; `null` for an unknown one. */
  account(id: AccountId): Promise<NoticeAccount | null>;
  /** The mail addresses of all active admins, by id. */
  operators(): Promise<readonly string[]>;
  /** Active accounts that want a summary, after an id, by id. */
  summarised(after: AccountId | null, limit: number): Promise<readonly AccountId[]>;
  /** Claims due notices of a notifier for `leaseMs`, oldest due first. Two instances never hold the same claim. */
  claimDue(notifier: string, now: Millis, leaseMs: number, limit: number): Promise<readonly ClaimedNotice[]>;
  /**
   * Counts a notice against the bound of its addressee, type and hour. Beyond the bound it becomes HELD_BACK, in the same
   * transaction, if the claim still holds.
   *
   * @returns which one of the hour it is, from 1; `null` for one that is held back
   */
  admit(claim: ClaimedNotice, hour: Millis, most: number): Promise<number | null>;
  /** Compare-and-set from PENDING; false when the claim was lost to another instance. */
  finish(claim: ClaimedNotice, changes: NoticeChanges): Promise<boolean>;
  /** PENDING to DEAD for those made before a time: nothing sends them any more. Returns how many, at most `limit`. */
  giveUp(before: Millis, reason: string, limit: number): Promise<number>;
  /** Deletes finished notices, and counts of hours, from before a time; returns how many of either at most. */
  prune(before: Millis, limit: number): Promise<number>;
}

/** Writes of notices, inside a transaction. */
export interface NoticeWrites {
  /** As that of {@link NoticeStore}, inside a transaction. */
  account(id: AccountId): Promise<NoticeAccount | null>;
  /** Adds notices; of a summary that is there already nothing. Returns those that were added. */
  add(notices: readonly Notice[]): Promise<readonly Notice[]>;
  savePreferences(preferences: NoticePreferences): Promise<void>;
  /** Takes what was held back in hours before a time, each once. */
  takeHeldBack(before: Millis, limit: number): Promise<readonly HeldBack[]>;
}
