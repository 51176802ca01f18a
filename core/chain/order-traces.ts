import type { ChainCode } from '../kernel/index.ts';

/** Every form in which a text that is searched for may be stored. */
export interface OrderTraces {
  /** The order's id, its merchant reference, or a shop system's number of it. */
  readonly text: string;
  /** A deposit address of the order. */
  readonly addresses: readonly { readonly chain: ChainCode; readonly address: string }[];
  /** A transaction that pays it. */
  readonly transactions: readonly { readonly chain: ChainCode; readonly txid: string }[];
}
