import type { AccountId, CurrencyCode, EntryId, Millis } from '../kernel/index.ts';
import type { AuditRow } from '../access/index.ts';
import type { LedgerBalance, LedgerEntry, Posting } from './entry.ts';

/** One broken invariant, in words. */
export interface LedgerBreach {
  readonly invariant: string;
  readonly detail: string;
}

/** The position of a posting in a list, newest first: its time, its entry, and its line in the entry. */
export interface PostingPosition {
  readonly createdAt: Millis;
  readonly id: EntryId;
  readonly line: number;
}

/** A search for postings. */
export interface PostingSearch {
  /** Postings of a merchant's balances; `null` for every account of the ledger, including the till's own. */
  readonly accountId: AccountId | null;
  /** Postings at or after this time; `null` for no bound. */
  readonly from: Millis | null;
  /** Postings before this time; `null` for no bound. */
  readonly to: Millis | null;
  /** The last posting of the page before; `null` for the first page. */
  readonly after: PostingPosition | null;
  readonly limit: number;
}

/** A posting with its entry. */
export interface BookedPosting extends Posting, Pick<LedgerEntry, 'kind' | 'reference'> {
  readonly position: PostingPosition;
}

/** Scope of a ledger check, and the limit of its report. */
export interface CheckpointRequest {
  /** True to read everything, including what was checked before. */
  readonly full: boolean;
  /** The most breaches of one invariant to report. */
  readonly limit: number;
}

/** The result of a ledger check. */
export interface LedgerCheckpoint {
  /** When there is none, a checkpoint is written, and the next check begins there. */
  readonly breaches: readonly LedgerBreach[];
  /** Whether everything was read, on request or because there was no checkpoint. */
  readonly full: boolean;
  readonly postings: number;
  /** The hash of the checkpoint; `null` when none was written. */
  readonly digest: string | null;
}

/** A month of postings in UTC, `2026-01`; the last month where several share one table. */
export interface LedgerMonth {
  readonly month: string;
  readonly until: Millis;
}

/** A closed month: its postings are in a separate table without reads; its sums still count (core/decisions/ledger-checks.md). */
export interface LedgerClosing extends LedgerMonth {
  /** `null` when the table holds everything that is older. */
  readonly from: Millis | null;
  /** The table with the postings, unless an operator has removed it. */
  readonly table: string;
  readonly postings: number;
  /** SHA-256 of the month, its sums, and the closing before it. */
  readonly digest: string;
  readonly closedAt: Millis;
}

/** Writes further rows in the transaction of a closing. */
export type MonthNote = (closing: LedgerClosing) => Promise<AuditRow>;

/** Ledger reads. */
export interface LedgerStore {
  /**
   * Checks every invariant in one snapshot: over what was written since the last checkpoint, or over everything, which
   * is then compared with the checkpoint too. When all hold, the checkpoint is written in one transaction.
   */
  checkpoint(request: CheckpointRequest): Promise<LedgerCheckpoint>;
  /** Cached balances of accounts with one of these prefixes (`merchant:123:`), by account and currency. */
  balances(...prefixes: readonly string[]): Promise<readonly LedgerBalance[]>;
  /** Postings, newest first. The cost depends only on the page size. */
  postings(search: PostingSearch): Promise<readonly BookedPosting[]>;
  /**
   * Creates the partitions of coming months, where the database has partitions.
   *
   * @returns months that can no longer have a partition, because some of their postings are elsewhere: the postings
   *   count, and the months cannot be closed
   */
  makePostingMonths(now: Millis): Promise<readonly string[]>;
  /** The closed months, oldest first. */
  closings(): Promise<readonly LedgerClosing[]>;
  /** The open months with a table, oldest first. @throws TillgateError `UNSUPPORTED` without partitions */
  openMonths(): Promise<readonly LedgerMonth[]>;
  /**
   * Closes the oldest open month in one transaction; its table is detached and kept.
   *
   * @returns `null` when it is not the oldest open one, because another caller has closed it
   * @throws TillgateError `STATE_CONFLICT` when an entry of the month was not checked; `NOT_READY` when a long read
   *   blocks it; `UNSUPPORTED`
   */
  closeMonth(month: string, note: MonthNote): Promise<LedgerClosing | null>;
  /**
   * Attaches the table of the newest closed month again and removes its closing.
   *
   * @throws TillgateError `STATE_CONFLICT` when it is not the newest, or when its table has other sums; `NOT_FOUND`
   *   without its table; `NOT_READY`; `UNSUPPORTED`
   */
  reopenMonth(month: string, note: MonthNote): Promise<LedgerClosing>;
  /** Currencies in which the postings do not sum to zero: must be none. */
  unbalancedEntries(limit: number): Promise<readonly LedgerBreach[]>;
  /** Accounts whose cached balance is not the sum of their postings: must be none. */
  driftedBalances(limit: number): Promise<readonly LedgerBreach[]>;
  /** Merchant balances below zero: must be none. */
  negativeMerchants(limit: number): Promise<readonly LedgerBreach[]>;
  /**
   * Currencies in which a chain holds less, according to the ledger, than merchants are owed; there must be none. Of an
   * unfinished transfer, only what its receiver gets is owed.
   */
  insolventCurrencies(limit: number): Promise<readonly LedgerBreach[]>;
  /** Deposits whose status contradicts the ledger, such as a credited one without a credit: must be none. */
  mismatchedDeposits(limit: number): Promise<readonly LedgerBreach[]>;
  /** Unassigned accounts that are not the sum of the credited deposits that belong to no order: must be none. */
  driftedUnassigned(limit: number): Promise<readonly LedgerBreach[]>;
  /**
   * Transfers that contradict the ledger or each other: a reserve that is not the sum of unfinished transfers, a wrong entry for
   * a status, a second payout that can be mined, refunds of an order that together are more than came for it. Must be none.
   */
  mismatchedTransfers(limit: number): Promise<readonly LedgerBreach[]>;
  /** Orders with a URL whose status requires a callback, without exactly one row for it: must be none. */
  missingCallbacks(limit: number): Promise<readonly LedgerBreach[]>;
}

/** Ledger writes inside a transaction. */
export interface LedgerWrites {
  /** A cached balance, locked until the transaction ends; 0 when the account has no posting yet. */
  lockBalance(account: string, currency: CurrencyCode): Promise<bigint>;
  /**
   * Appends an entry and updates the cached balances; false when its reference was already booked. The caller
   * guarantees that the entry sums to zero (`post-entry.ts` is the only caller).
   */
  append(entry: LedgerEntry): Promise<boolean>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly ledger: LedgerStore;
  }
  interface Transaction {
    readonly ledger: LedgerWrites;
  }
}
