import type { Asset } from '../kernel/asset.ts';
import type { AccountId } from '../kernel/ids.ts';
import type { Transfer } from '../transfers/transfer.ts';

/** A withdrawal as its merchant reads it. */
export interface WithdrawalView {
  readonly withdrawal: Transfer;
  readonly accountId: AccountId;
  /** Of its amounts. */
  readonly asset: Asset;
  /** What is left to withdraw, in units. */
  readonly balance: bigint;
  /** The transaction that pays it, a payment hash on Lightning; `null` before there is one. */
  readonly txHash: string | null;
}
