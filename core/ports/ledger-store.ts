import type { CurrencyCode } from '../kernel/asset.ts';
import type { AccountId, EntryId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { AuditWrites } from './audit-store.ts';
import type { LedgerBalance, LedgerEntry, Posting } from '../ledger/entry.ts';

/** One broken invariant, in words. */
export interface LedgerBreach {
  readonly invariant: string;
  readonly detail: string;
}

/** Where a posting is in a list, newest first: by its time, its entry, and its line there. */
export interface PostingPosition {
  /** When it was booked. */
  readonly createdAt: Millis;
  readonly id: EntryId;
  readonly line: number;
}

/** Which postings are asked for. */
export interface PostingSearch {
  /** Those of a merchant's balances; `null` for those of every account of the ledger, the till's own too. */
  readonly accountId: AccountId | null;
  /** Booked then or later; `null` for no bound. */
  readonly from: Millis | null;
  /** Booked before; `null` for no bound. */
  readonly to: Millis | null;
  /** The last one of the page before; `null` for the first page. */
  readonly after: PostingPosition | null;
  readonly limit: number;
}

/** A posting with its entry. */
export interface BookedPosting extends Posting, Pick<LedgerEntry, 'kind' | 'reference'> {
  readonly position: PostingPosition;
}

/** What a check reads, and how much of what it finds it tells. */
export interface CheckpointRequest {
  /** Everything, also what was checked before. */
  readonly full: boolean;
  /** At most so many breaches of one invariant are told. */
  readonly limit: number;
}

/** What a check of the ledger found. */
export interface LedgerCheckpoint {
  /** None: a checkpoint is written, and the next check begins there. */
  readonly breaches: readonly LedgerBreach[];
  /** Whether everything was read: it was asked for, or there was no checkpoint. */
  readonly full: boolean;
  /** How many postings were read. */
  readonly postings: number;
  /** The hash of the checkpoint; `null` when none was written. */
  readonly digest: string | null;
}

/** A month of postings, in UTC: `2026-01`; of several months that were made one table, the last. */
export interface LedgerMonth {
  readonly month: string;
  readonly until: Millis;
}

/** A month whose postings are in a table of its own, which no read looks into; its sums are kept, and count (decision 0068). */
export interface LedgerClosing extends LedgerMonth {
  /** `null` for all that is older. */
  readonly from: Millis | null;
  /** The table with its postings, where nobody has removed it. */
  readonly table: string;
  /** How many postings it has. */
  readonly postings: number;
  /** SHA-256 of the month, its sums, and the closing before it. */
  readonly digest: string;
  readonly closedAt: Millis;
}

/** What is written with a closing, in its transaction. */
export type MonthNote = (tx: { readonly audit: AuditWrites }, closing: LedgerClosing) => Promise<void>;

/** Ledger reads. */
export interface LedgerStore {
  /**
   * Checks every invariant in one snapshot: of what was written since the last checkpoint, or of everything, which is compared with the
   * checkpoint too. When all hold, the checkpoint is written in one transaction.
   */
  checkpoint(request: CheckpointRequest): Promise<LedgerCheckpoint>;
  /** Cached balances of accounts whose name begins with one of these (`merchant:123:`), by account and currency. */
  balances(...prefixes: readonly string[]): Promise<readonly LedgerBalance[]>;
  /** Postings, newest first. What a page costs depends on its size alone. */
  postings(search: PostingSearch): Promise<readonly BookedPosting[]>;
  /**
   * Gives the months of postings to come their partitions, where the database has some.
   *
   * @returns months that cannot have one any more, since postings of theirs are elsewhere: they count, and are never closed
   */
  makePostingMonths(now: Millis): Promise<readonly string[]>;
  /** The closed months, the oldest first. */
  closings(): Promise<readonly LedgerClosing[]>;
  /** The months that are not closed and have a table, the oldest first. @throws TillgateError `UNSUPPORTED` without partitions */
  openMonths(): Promise<readonly LedgerMonth[]>;
  /**
   * Closes the oldest open month in one transaction; its table is detached and stays.
   *
   * @returns `null` when it is not the oldest open one: somebody has closed it
   * @throws TillgateError `STATE_CONFLICT` when an entry of it was not checked; `NOT_READY` when somebody reads for long; `UNSUPPORTED`
   */
  closeMonth(month: string, note: MonthNote): Promise<LedgerClosing | null>;
  /**
   * Attaches the table of the newest closed month again, and removes its closing.
   *
   * @throws TillgateError `STATE_CONFLICT` when it is not the newest, or when its table has other sums; `NOT_FOUND` without its table; `NOT_READY`; `UNSUPPORTED`
   */
  reopenMonth(month: string, note: MonthNote): Promise<LedgerClosing>;
  /** Sums of all postings per currency that are not zero: must be none. */
  unbalancedEntries(limit: number): Promise<readonly LedgerBreach[]>;
  /** Accounts whose cached balance is not the sum of their postings: must be none. */
  driftedBalances(limit: number): Promise<readonly LedgerBreach[]>;
  /** Merchant balances below zero: must be none. */
  negativeMerchants(limit: number): Promise<readonly LedgerBreach[]>;
  /**
   * Chains that hold less by the books than merchants are owed, by currency: must be none. What is owed of an unfinished
   * transfer is what its receiver gets.
   */
  insolventCurrencies(limit: number): Promise<readonly LedgerBreach[]>;
  /** Deposits whose status contradicts the ledger (credited without a live credit, or the other way round). */
  mismatchedDeposits(limit: number): Promise<readonly LedgerBreach[]>;
  /** Unassigned accounts that are not the sum of the credited deposits that belong to no order: must be none. */
  driftedUnassigned(limit: number): Promise<readonly LedgerBreach[]>;
  /**
   * Transfers that contradict the ledger or each other: a reserve that is not the sum of unfinished transfers, a wrong entry for
   * a status, a second payout that can be mined, a second paid refund of an order. Must be none.
   */
  mismatchedTransfers(limit: number): Promise<readonly LedgerBreach[]>;
  /** Orders whose status requires a callback, that have a URL for it, and not exactly one row of it. */
  missingCallbacks(limit: number): Promise<readonly LedgerBreach[]>;
}

/** Ledger writes inside a transaction. */
export interface LedgerWrites {
  /** A cached balance, locked until the transaction ends; 0 when the account has no posting yet. */
  lockBalance(account: string, currency: CurrencyCode): Promise<bigint>;
  /**
   * Appends an entry and updates the cached balances; false when its reference was booked before.
   * The caller guarantees that it sums to zero (see `post-entry.ts`, which is the only caller).
   */
  append(entry: LedgerEntry): Promise<boolean>;
}
