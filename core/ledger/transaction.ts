import type { AccountId, Asset, ChainCode, CurrencyCode, Millis, OrderId } from '../kernel/index.ts';

export const TRANSACTION_TYPES = ['ORDER', 'INVOICE', 'WITHDRAW', 'SWAP', 'REFUND', 'PAYOUT'] as const;
export type TransactionType = (typeof TRANSACTION_TYPES)[number];

export const TRANSACTION_STATUSES = ['PENDING', 'SUCCESS', 'FAILED'] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

/** A row of the merchant's transactions; one for each credited deposit. */
export interface TransactionRow {
  /** The deposit's id for an ORDER. */
  readonly id: string;
  readonly accountId: AccountId;
  /** Consecutive numbers of each account from 1, by which lists are paged. */
  readonly number: number;
  readonly type: TransactionType;
  readonly status: TransactionStatus;
  readonly orderId: OrderId | null;
  readonly chain: ChainCode;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  readonly obtained: bigint;
  readonly fee: bigint;
  readonly fromAddress: string | null;
  readonly toAddress: string;
  readonly txHash: string | null;
  readonly at: Millis;
}

/** A transaction with what its merchant reads of it. */
export interface TransactionView {
  readonly transaction: TransactionRow;
  /** The asset of its amounts. */
  readonly asset: Asset;
}
