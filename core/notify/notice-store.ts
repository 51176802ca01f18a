import type { AccountRole } from '../access/index.ts';
import type { AccountId, Millis, NewestQuery, NoticeId } from '../kernel/index.ts';
import type { Notice, NoticePreferences, NoticeStatus, NoticeType } from './notice.ts';

/** A notice that this instance may send now; the fence distinguishes its claim from a later one. */
export interface ClaimedNotice {
  readonly notice: Notice;
  readonly fence: number;
}

/** The fields of a notice that change after an attempt. */
export type NoticeChanges = Pick<Notice, 'status' | 'attempts' | 'nextAt' | 'sentAt' | 'lastError'>;

/** An account as the receiver of notices. */
export interface NoticeAccount extends NoticePreferences {
  readonly role: AccountRole;
  readonly email: string;
  readonly name: string | null;
}

/** The number of notices of one type that were held back in an hour that has ended. */
export interface HeldBack {
  readonly notifier: string;
  readonly accountId: AccountId | null;
  readonly type: NoticeType;
  /** The beginning of the hour. */
  readonly hour: Millis;
  readonly count: number;
}

/** A search for notices: of one status, or of all for `null`. */
export interface NoticeQuery extends NewestQuery<NoticeId> {
  readonly status: NoticeStatus | null;
}

/** Notices to persons. */
export interface NoticeStore {
  find(id: NoticeId): Promise<Notice | null>;
  /** Newest first. */
  list(query: NoticeQuery): Promise<readonly Notice[]>;
  /** The account as a receiver, with its preferences; `null` when it is unknown. */
  account(id: AccountId): Promise<NoticeAccount | null>;
  /** The mail addresses of all active admins, by id. */
  operators(): Promise<readonly string[]>;
  /** The ids of active accounts that have chosen a daily summary, after an id, in ascending order. */
  summarised(after: AccountId | null, limit: number): Promise<readonly AccountId[]>;
  /** Claims due notices of a notifier for `leaseMs`, oldest due first. Two instances never hold the same claim. */
  claimDue(notifier: string, now: Millis, leaseMs: number, limit: number): Promise<readonly ClaimedNotice[]>;
  /**
   * Counts a notice towards the limit of its receiver, type and hour. Beyond the limit it becomes HELD_BACK, in the
   * same transaction, if the claim still holds.
   *
   * @returns its number within the hour, from 1; `null` when it was held back
   */
  admit(claim: ClaimedNotice, hour: Millis, most: number): Promise<number | null>;
  /** Compare-and-set from PENDING; false when the claim was lost to another instance. */
  finish(claim: ClaimedNotice, changes: NoticeChanges): Promise<boolean>;
  /** Moves PENDING notices created before a time to DEAD, at most `limit`; none is sent. Returns how many. */
  giveUp(before: Millis, reason: string, limit: number): Promise<number>;
  /** Deletes up to `limit` finished notices and as many hourly counts from before a time; returns the larger count. */
  prune(before: Millis, limit: number): Promise<number>;
}

/** Writes of notices, inside a transaction. */
export interface NoticeWrites {
  /** As {@link NoticeStore.account}, inside a transaction. */
  account(id: AccountId): Promise<NoticeAccount | null>;
  /** Adds notices and skips summaries that are already stored. Returns the added ones. */
  add(notices: readonly Notice[]): Promise<readonly Notice[]>;
  savePreferences(preferences: NoticePreferences): Promise<void>;
  /** Removes and returns the counts of held-back notices from hours before a time, each once. */
  takeHeldBack(before: Millis, limit: number): Promise<readonly HeldBack[]>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly notices: NoticeStore;
  }
  interface Transaction {
    readonly notices: NoticeWrites;
  }
}

declare module '../kernel/events.ts' {
  interface DomainEvents {
    /** A notifier has a new notice to send. */
    'notice.queued': { readonly notifier: string };
  }
}
