import type { AccountId, Millis, NewestQuery, PayoutBatchId, TransferId } from '../kernel/index.ts';
import type {
  BatchApproval,
  BatchProgress,
  BatchStatus,
  PayoutBatch,
  PayoutBatchRow,
  ShownBatchRow,
} from './payout-batch.ts';

/** The fields of a batch that may change. */
export interface BatchChanges {
  readonly approvals?: readonly BatchApproval[];
  readonly listed?: boolean;
  readonly approvedAt?: Millis;
  readonly finishedAt?: Millis;
  readonly updatedAt: Millis;
}

/** Payout batch reads. */
export interface PayoutBatchStore {
  find(id: PayoutBatchId): Promise<PayoutBatch | null>;
  /** Batches of one account, or of all for `null`, newest first. */
  list(
    status: BatchStatus | null,
    query: NewestQuery<PayoutBatchId>,
    accountId: AccountId | null,
  ): Promise<readonly PayoutBatch[]>;
  /** Rows after a line, in the order of their lines. */
  rows(id: PayoutBatchId, afterLine: number, limit: number): Promise<readonly ShownBatchRow[]>;
  progress(id: PayoutBatchId): Promise<BatchProgress>;
  /** APPROVED batches after an id, oldest first. */
  approved(after: PayoutBatchId | null, limit: number): Promise<readonly PayoutBatch[]>;
  /** Rows that are no transfer yet and may become one, in the order of their lines. */
  waitingRows(id: PayoutBatchId, limit: number): Promise<readonly PayoutBatchRow[]>;
  /** The references among these that the account has used for a row that was paid or may be paid. */
  usedReferences(accountId: AccountId, references: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Payout batch writes inside a transaction. */
export interface PayoutBatchWrites {
  /** Adds a batch with its rows. Each reference of an account is used once: see {@link usedReferences}. */
  add(batch: PayoutBatch, rows: readonly PayoutBatchRow[]): Promise<void>;
  /** As {@link PayoutBatchStore.usedReferences}. */
  usedReferences(accountId: AccountId, references: readonly string[]): Promise<ReadonlySet<string>>;
  /** {@link PayoutBatch.listed} of a batch, which no longer changes once it is approved. */
  isListed(id: PayoutBatchId): Promise<boolean>;
  /** The number of an account's drafts. */
  draftsOf(accountId: AccountId): Promise<number>;
  /** The batch, locked until the transaction ends. */
  lock(id: PayoutBatchId): Promise<PayoutBatch | null>;
  /** Compare-and-set of the status; false when the batch is no longer in `from`. */
  move(id: PayoutBatchId, from: BatchStatus, to: BatchStatus, changes: BatchChanges): Promise<boolean>;
  /** Changes a batch that is still in `status`; false when it is not. */
  update(id: PayoutBatchId, status: BatchStatus, changes: BatchChanges): Promise<boolean>;
  /** As {@link PayoutBatchStore.waitingRows}. */
  waitingRows(id: PayoutBatchId, limit: number): Promise<readonly PayoutBatchRow[]>;
  /** Makes a waiting row a transfer; false when it is one already, or was dropped. */
  assign(id: PayoutBatchId, line: number, transferId: TransferId): Promise<boolean>;
  /** Drops a waiting row, whose reference is free again; false when it is a transfer already, or was dropped. */
  drop(id: PayoutBatchId, line: number, problem: string): Promise<boolean>;
  /** Drops every waiting row. @returns the dropped rows */
  dropWaiting(id: PayoutBatchId, problem: string): Promise<readonly PayoutBatchRow[]>;
  /** Removes the rows of a draft. */
  removeRows(id: PayoutBatchId): Promise<void>;
  /** True while a transfer of the batch is neither CONFIRMED nor FAILED. */
  hasLiveTransfers(id: PayoutBatchId): Promise<boolean>;
  /** The rows whose receiver the account does not list at this time: {@link PayeeWrites.lists}. */
  unlistedRows(batch: Pick<PayoutBatch, 'id' | 'accountId'>, now: Millis): Promise<number>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly batches: PayoutBatchStore;
  }
  interface Transaction {
    readonly batches: PayoutBatchWrites;
  }
}
