import type { AccountId, Asset } from '../kernel/index.ts';
import type { Transfer } from './transfer.ts';

/** A withdrawal with what its merchant reads of it. */
export interface WithdrawalView {
  readonly withdrawal: Transfer;
  readonly accountId: AccountId;
  /** The asset of its amounts. */
  readonly asset: Asset;
  /** The remaining available balance, in units. */
  readonly balance: bigint;
  /** The hash of the transaction that pays it, or the payment hash on Lightning; `null` before there is one. */
  readonly txHash: string | null;
}
