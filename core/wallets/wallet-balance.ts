import type { Asset } from '../kernel/asset.ts';
import type { MerchantBalance } from '../ledger/entry.ts';

/** What an account has of one asset in the ledger, in units. */
export interface WalletBalance extends Readonly<Record<MerchantBalance, bigint>> {
  readonly asset: Asset;
}
