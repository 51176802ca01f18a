import type { Epoch, EpochStatus, Progress } from '../epochs/epoch.ts';
import type { Millis } from '../kernel/time.ts';

/** The indexes of a wallet that one epoch gave out. */
export interface IndexRange {
  readonly first: number;
  /** The first index that it cannot have given out. */
  readonly end: number;
}

/** The lives of the database. */
export interface EpochStore {
  current(): Promise<Epoch>;
  /** Read from one snapshot. */
  progress(): Promise<Progress>;
  /** Which of these records and further orders, empty ids aside, are not in the database: it had them once, so it is an older one. */
  missing(newest: Progress['newest'], orders: readonly string[]): Promise<readonly string[]>;
  /** Notes that a marker was written, so that a missing one means something. */
  setMarked(): Promise<void>;
  /** Every range of a wallet's indexes that was given out, in ascending order. */
  ranges(walletId: string): Promise<readonly IndexRange[]>;
}

/** Epoch writes inside a transaction. */
export interface EpochWrites {
  /** Locks the present epoch until the transaction ends. */
  lock(): Promise<Epoch>;
  progress(): Promise<Progress>;
  /** Begins the next epoch. `indexes`: where each wallet goes on; the stored pool of addresses is emptied. */
  begin(epoch: Epoch, indexes: Readonly<Record<string, number>>): Promise<void>;
  decide(number: number, status: Exclude<EpochStatus, 'pending'>): Promise<void>;
  /** Moves every REQUESTED transfer to HELD, and fails the till's own moves, which are planned again. Returns how many are held. */
  holdWaiting(reason: string, now: Millis): Promise<number>;
}
