import type { AccountId, ChainCode, CurrencyCode, Millis, PayoutBatchId, TransferId } from '../kernel/index.ts';
import type { TransferStatus } from './transfer.ts';

/** The most rows of a batch. */
export const MAX_BATCH_ROWS = 10_000;
/** The most drafts of an account that wait for approval or cancellation. */
export const MAX_DRAFTS = 20;
/** The longest name of a batch. */
export const MAX_BATCH_NAME = 100;
/** Milliseconds after which a draft can no longer be approved, because its rates and its preview are out of date. */
export const DRAFT_LIFE_MS = 7 * 86_400_000;

/**
 * DRAFT: checked and shown, nothing is set aside; APPROVED: its rows become transfers; DONE: all of these have ended;
 * CANCELLED: no further row becomes one.
 */
export const BATCH_STATUSES = ['DRAFT', 'APPROVED', 'DONE', 'CANCELLED'] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

/** Every legal status transition of a batch, by event. */
export const BATCH_TRANSITIONS = {
  approve: { from: ['DRAFT'], to: 'APPROVED' },
  finish: { from: ['APPROVED'], to: 'DONE' },
  cancel: { from: ['DRAFT', 'APPROVED'], to: 'CANCELLED' },
} as const satisfies Record<string, { from: readonly BatchStatus[]; to: BatchStatus }>;

/** The rows of a batch in one currency. */
export interface BatchSum {
  readonly chain: ChainCode;
  readonly currency: CurrencyCode;
  readonly rows: number;
  /** What leaves the balance. */
  readonly units: bigint;
  /** The estimated fees, which are part of `units`. */
  readonly feeUnits: bigint;
}

/** One person's approval of a batch. */
export interface BatchApproval {
  /** `null` for the operator at the command line. */
  readonly approverId: AccountId | null;
  readonly at: Millis;
}

/** Payments of an account to many receivers, which are approved together. */
export interface PayoutBatch {
  readonly id: PayoutBatchId;
  /** The account whose balance pays. */
  readonly accountId: AccountId;
  /** May be empty. */
  readonly name: string;
  readonly status: BatchStatus;
  /** `null` for a credential, and for the operator at the command line. */
  readonly createdBy: AccountId | null;
  readonly sums: readonly BatchSum[];
  /** Oldest first. */
  readonly approvals: readonly BatchApproval[];
  /** True when it was approved because the account lists every receiver; checked again when a payment is signed. */
  readonly listed: boolean;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  readonly approvedAt: Millis | null;
  /** When it became DONE or CANCELLED. */
  readonly finishedAt: Millis | null;
}

/** An amount in a fiat currency that was converted when the batch was created. */
export interface FiatAmount {
  /** A plain decimal. */
  readonly amount: string;
  readonly currency: string;
  /** The price of one coin in that currency, a plain decimal, rounded down for display. */
  readonly rate: string;
}

/** One payment of a batch. */
export interface PayoutBatchRow {
  readonly batchId: PayoutBatchId;
  /** The line of the file; of a JSON list the position, from 1. */
  readonly line: number;
  /** The merchant's reference; each is paid once, for ever. */
  readonly reference: string;
  readonly chain: ChainCode;
  readonly currency: CurrencyCode;
  /** An address in the chain's usual form, or a Lightning invoice. */
  readonly toAddress: string;
  /** What leaves the balance. The network's fee is deducted from it. */
  readonly units: bigint;
  /** `null` for an amount in the coin. */
  readonly fiat: FiatAmount | null;
  /** An estimate until the payment is signed. */
  readonly feeUnits: bigint;
  readonly maxFeeUnits: bigint;
  /** `null` until the row is a transfer. */
  readonly transferId: TransferId | null;
  /** Why the row never becomes a transfer; `null` otherwise. */
  readonly problem: string | null;
}

/** The transfer of a row. */
export interface RowTransfer {
  readonly status: TransferStatus;
  /** An estimate until the payment is signed. */
  readonly feeUnits: bigint;
  readonly reason: string | null;
  /** `null` until it was sent. */
  readonly txHash: string | null;
}

/** A row with its transfer; `null` until there is one. */
export interface ShownBatchRow extends PayoutBatchRow {
  readonly transfer: RowTransfer | null;
}

/** The number of rows of a batch in each state. */
export interface BatchProgress {
  /** Rows that are no transfer yet. */
  readonly waiting: number;
  /** Rows that never become a transfer. */
  readonly dropped: number;
  readonly held: number;
  /** Transfers that are not final. */
  readonly underway: number;
  readonly paid: number;
  readonly failed: number;
}

/** The sums of rows by currency, in the order of the currencies, in which their balances are locked. */
export function sumsOf(
  rows: readonly Pick<PayoutBatchRow, 'chain' | 'currency' | 'units' | 'feeUnits'>[],
): readonly BatchSum[] {
  const sums = new Map<CurrencyCode, BatchSum>();
  for (const { chain, currency, units, feeUnits } of rows) {
    const former = sums.get(currency) ?? { chain, currency, rows: 0, units: 0n, feeUnits: 0n };
    sums.set(currency, {
      ...former,
      rows: former.rows + 1,
      units: former.units + units,
      feeUnits: former.feeUnits + feeUnits,
    });
  }
  return [...sums.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}
