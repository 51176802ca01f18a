import type { BlockRef, CurrencyCode } from '../kernel/index.ts';

/** A successful transfer of a configured asset to a watched address, in a block. */
export interface ObservedTransfer {
  readonly txid: string;
  /** Distinguishes transfers of one transaction: a log index, an output number, `value`, `internal:…`. */
  readonly index: string;
  readonly block: BlockRef;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  readonly from: string | null;
  /** The watch key of the receiving address. */
  readonly toKey: string;
  /**
   * Confirmations that the chain itself requires before these coins can be spent, such as 100 for newly mined bitcoins;
   * none by default. The transfer is credited no earlier, whatever the policy says. Since interface 1.11.0.
   */
  readonly leastConfirmations?: number;
  /** The first block in which it may have arrived, where that is before the block in which it is reported. */
  readonly notBefore?: number;
}
