import type { Asset } from '../kernel/index.ts';
import type { MerchantBalance } from '../ledger/index.ts';

/**
 * An account's ledger balances in one asset, in units. `available` is what a withdrawal accepts: it excludes `frozen`, the
 * part whose coins the token's contract refuses to move.
 */
export interface WalletBalance extends Readonly<Record<MerchantBalance | 'frozen', bigint>> {
  readonly asset: Asset;
}
