import type { BlockRef } from '../kernel/index.ts';
import type { ObservedTransfer } from './observed-transfer.ts';

/** A recorded transfer, with its receiver's address in the chain's usual form. */
export interface RecordedTransfer extends Pick<ObservedTransfer, 'txid' | 'index' | 'currency' | 'units' | 'from'> {
  readonly address: string;
}

/**
 * Reads the effects of transactions in a block, for chains on which a transaction's id does not commit to them: whom a
 * contract pays, how much, and whether at all, may depend on the block. They are read once more before a deposit is
 * credited and before it may be spent.
 */
export interface ChainEffects {
  /** Whether the effect of a transfer depends on the block; false where the transaction's id commits to it. */
  dependsOnBlock(index: string): boolean;
  /**
   * Reads what these transactions paid in this block, from the block itself and not from an index. Where the node keeps
   * too little, a recorded transfer that nothing contradicts is confirmed.
   *
   * @param recorded - transfers of this block; one reading serves all of them
   * @returns the payments to any receiver: a recorded transfer that is missing here is not in the block; `null` when
   *   the chain now has another block at this height
   * @throws TillgateError `NODE_FAILED`; retry later
   */
  read(
    block: Pick<BlockRef, 'height' | 'hash'>,
    recorded: readonly RecordedTransfer[],
  ): Promise<readonly ObservedTransfer[] | null>;
}
