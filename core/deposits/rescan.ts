import type { Deposit } from '../chain/index.ts';

/** The addresses whose balances are compared. */
export type BalancesInput = { readonly address: string } | { readonly orderId: string } | { readonly balances: true };

/**
 * The scope of a rescan: a range of blocks, the block of a transaction, or the present balance of an address, of an
 * order's address, or of every address of the chain.
 */
export type RescanInput = { readonly from: number; readonly to: number } | { readonly txid: string } | BalancesInput;

/** The result of a rescan. */
export interface Rescan {
  /** The first and last block that were read; for balances, the block at which they were compared. */
  readonly from: number;
  readonly to: number;
  readonly found: readonly Deposit[];
}
