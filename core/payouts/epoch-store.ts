import type { Epoch, EpochStatus, Progress } from './epoch.ts';
import type { Millis } from '../kernel/index.ts';

/** The range of a wallet's indexes that one epoch assigned. */
export interface IndexRange {
  readonly first: number;
  /** The first index that the epoch cannot have assigned. */
  readonly end: number;
}

/** The epochs of the database. */
export interface EpochStore {
  current(): Promise<Epoch>;
  /** Read from one snapshot. */
  progress(): Promise<Progress>;
  /**
   * The records and further orders (empty ids aside) that are missing from the database. It had them once, so a missing
   * one shows that an older database was restored.
   */
  missing(newest: Progress['newest'], orders: readonly string[]): Promise<readonly string[]>;
  /** Records that a marker was written, so that a missing marker is significant. */
  setMarked(): Promise<void>;
  /** Every range of a wallet's indexes that was assigned, in ascending order. */
  ranges(walletId: string): Promise<readonly IndexRange[]>;
}

/** Epoch writes inside a transaction. */
export interface EpochWrites {
  /** Locks the present epoch until the transaction ends. */
  lock(): Promise<Epoch>;
  progress(): Promise<Progress>;
  /** Begins the next epoch and empties the stored pool of addresses. `indexes`: the next index of each wallet. */
  begin(epoch: Epoch, indexes: Readonly<Record<string, number>>): Promise<void>;
  decide(number: number, status: Exclude<EpochStatus, 'pending'>): Promise<void>;
  /** Holds every REQUESTED transfer, and fails the till's own moves, which are planned again. Returns how many. */
  holdWaiting(reason: string, now: Millis): Promise<number>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    /** Epochs of the database: a restored backup begins another one. */
    readonly epochs: EpochStore;
  }
  interface Transaction {
    readonly epochs: EpochWrites;
  }
}
