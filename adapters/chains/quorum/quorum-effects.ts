import type { BlockRef, ChainEffects, ObservedTransfer, RecordedTransfer } from '../../../core/index.ts';
import type { NodeGroup } from './node-group.ts';
import { transfersText } from './ranges.ts';

/** The effects of transactions in a block, as enough nodes report them. */
export class QuorumEffects implements ChainEffects {
  readonly #own: ChainEffects;
  readonly #group: NodeGroup;

  constructor(own: ChainEffects, group: NodeGroup) {
    this.#own = own;
    this.#group = group;
  }

  dependsOnBlock(index: string): boolean {
    return this.#own.dependsOnBlock(index);
  }

  read(
    block: Pick<BlockRef, 'height' | 'hash'>,
    recorded: readonly RecordedTransfer[],
  ): Promise<readonly ObservedTransfer[] | null> {
    return this.#group.agree({
      subject: 'blocks read before a credit',
      about: `the payments in block ${block.height}`,
      ask: async (chain) => (await chain.effects?.read(block, recorded)) ?? null,
      textOf: (transfers) => (transfers === null ? 'it is another block' : transfersText(transfers)),
      // A block has only one content.
      isLie: (values) => values.every((value) => value !== null),
    });
  }
}
