import type { BlockRef } from '../kernel/index.ts';
import type { ChainAdapter, ChainEffects, ObservedTransfer, RecordedTransfer } from '../chain/index.ts';

/**
 * Reads the effects of a chain's transactions again, by the adapter's own method or else by another scan of their
 * block. `null` where the id of a transaction commits to its effects.
 */
export function effectsOf(chain: ChainAdapter): ChainEffects | null {
  return chain.effects === undefined ? new ScannedEffects(chain) : chain.effects;
}

/** Scans a block again. A scan reports any receiver here, since the same transaction may pay another one now. */
class ScannedEffects implements ChainEffects {
  readonly #chain: ChainAdapter;

  constructor(chain: ChainAdapter) {
    this.#chain = chain;
  }

  dependsOnBlock(): boolean {
    return true;
  }

  async read(
    { height, hash }: Pick<BlockRef, 'height' | 'hash'>,
    recorded: readonly RecordedTransfer[],
  ): Promise<readonly ObservedTransfer[] | null> {
    const keys = recorded.map(({ address }) => this.#chain.keyOf(address));
    const watch = { has: () => true, nativeKeys: () => keys };
    const { blocks, transfers, unseen = false } = await this.#chain.scan(height, height, watch);
    const block = blocks.find((each) => each.hash === hash);
    if (block === undefined) return null;
    if (!unseen) return transfers;
    // The node keeps too little of this block to contradict what it showed before.
    const isShown = ({ txid, index }: RecordedTransfer): boolean =>
      transfers.some((transfer) => transfer.txid === txid && transfer.index === index);
    const kept = recorded.filter((transfer) => !isShown(transfer));
    return [
      ...transfers,
      ...kept.map((transfer) => ({ ...transfer, toKey: this.#chain.keyOf(transfer.address), block })),
    ];
  }
}
