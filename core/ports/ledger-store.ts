import type { CurrencyCode } from '../kernel/asset.ts';
import type { LedgerBalance, LedgerEntry } from '../ledger/entry.ts';

/** One broken invariant, in words. */
export interface LedgerBreach {
  readonly invariant: string;
  readonly detail: string;
}

/** Ledger reads. */
export interface LedgerStore {
  /** Cached balances of accounts whose name starts so (`merchant:123:`). */
  balances(prefix: string): Promise<readonly LedgerBalance[]>;
  /** Sums of all postings per currency that are not zero: must be none. */
  unbalancedEntries(limit: number): Promise<readonly LedgerBreach[]>;
  /** Accounts whose cached balance is not the sum of their postings: must be none. */
  driftedBalances(limit: number): Promise<readonly LedgerBreach[]>;
  /** Merchant balances below zero: must be none. */
  negativeMerchants(limit: number): Promise<readonly LedgerBreach[]>;
  /** Deposits whose status and ledger disagree (credited without a live credit, or the other way round). */
  mismatchedDeposits(limit: number): Promise<readonly LedgerBreach[]>;
  /**
   * Transfers that disagree with the ledger or among themselves: a reserve that is not the sum of what is under way, a
   * wrong entry for an end, a second payout that can be mined, a second paid refund of an order. Must be none.
   */
  mismatchedTransfers(limit: number): Promise<readonly LedgerBreach[]>;
  /** Orders in a status that owes a callback (and have a URL for it) without exactly one row of it. */
  missingCallbacks(limit: number): Promise<readonly LedgerBreach[]>;
}

/** Ledger writes inside a transaction. */
export interface LedgerWrites {
  /** A cached balance, locked until the transaction ends; 0 when the account has no posting yet. */
  lockBalance(account: string, currency: CurrencyCode): Promise<bigint>;
  /**
   * Appends an entry and moves the cached balances; false when its reference was booked before.
   * The caller guarantees that it sums to zero (see `post-entry.ts`, which is the only caller).
   */
  append(entry: LedgerEntry): Promise<boolean>;
}
