import type { Asset, CurrencyCode } from '../kernel/index.ts';

/** Units by currency. */
export type BalanceSheet = ReadonlyMap<CurrencyCode, bigint>;

/** Balances of arbitrary addresses as the node reports them, for self-custody wallets. Nothing is signed. */
export interface ChainBalances {
  /** The assets whose balances can be read: those of orders, and others (SHIB-ERC20). */
  readonly assets: readonly Asset[];
  /** The extended public key in its usual form; `null` when it is not one of this chain. Private keys are refused. */
  readExtendedKey(text: string): string | null;
  /** @throws TillgateError `NODE_FAILED` */
  ofAddress(address: string): Promise<BalanceSheet>;
  /**
   * The sum over the receiving and change addresses of a key, up to a gap of 20 unused ones (BIP-44).
   * @throws TillgateError `NODE_FAILED`
   */
  ofExtendedKey(key: string): Promise<BalanceSheet>;
}
