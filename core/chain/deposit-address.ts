import type { ChainCode } from '../kernel/index.ts';

/** A deposit address of an order. */
export interface DepositAddress {
  readonly chain: ChainCode;
  readonly address: string;
  /** The watch key, which scanning compares. */
  readonly key: string;
  readonly walletId: string;
  readonly index: number;
}
