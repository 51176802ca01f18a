import type { Asset, CurrencyCode } from '../kernel/asset.ts';

/** Units by currency. */
export type BalanceSheet = ReadonlyMap<CurrencyCode, bigint>;

/** What lies at anybody's addresses, as the node tells: for self-custody balances (endpoint 10). Nothing is signed. */
export interface ChainBalances {
  /** What it can read: the chain's orderable assets, and what else it knows (SHIB-ERC20). */
  readonly assets: readonly Asset[];
  /** The extended public key in its usual spelling, or `null` when the text is none of this chain. Private keys are refused. */
  readExtendedKey(text: string): string | null;
  /** @throws TillgateError `NODE_FAILED` */
  ofAddress(address: string): Promise<BalanceSheet>;
  /** Over its receiving and change addresses up to a gap of 20 unused ones (BIP-44). @throws TillgateError `NODE_FAILED` */
  ofExtendedKey(key: string): Promise<BalanceSheet>;
}
