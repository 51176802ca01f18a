import { TillgateError } from '../../../core/index.ts';
import type { BlockRef, SettledBlocks } from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import { blockCall, readBlockAt, readBlockRef } from './blocks.ts';
import type { SettlementTag, SettlementTags } from './evm-options.ts';
import { inconsistent } from './rpc-values.ts';

interface Marks {
  readonly tags: ReadonlyMap<SettlementTag, BlockRef | null>;
  readonly shown: BlockRef | null;
}

/**
 * Reads the blocks with the tags `safe` and `finalized` (`eth_getBlockByNumber`). A second layer tags the blocks that
 * were posted to its first layer, and those that cannot be reversed there.
 */
export class Settlement {
  readonly #client: JsonRpcClient;
  readonly #tags: SettlementTags;
  #finalized: BlockRef | null = null;

  constructor(client: JsonRpcClient, tags: SettlementTags) {
    this.#client = client;
    this.#tags = tags;
  }

  /**
   * Reads both tags and the block at the cursor's height in one request, so that one node answers all three.
   *
   * @param cursor - the last block that was read
   * @throws TillgateError `NODE_FAILED` when the node does not support a tag, or revokes a final block
   */
  async read(cursor: Pick<BlockRef, 'height'>): Promise<SettledBlocks> {
    const { credit, spend } = this.#tags;
    const wanted = [...new Set([credit, spend])].filter((tag) => tag !== 'latest');
    const { tags, shown } = await this.#marks(wanted, cursor.height);
    return {
      ...(credit === 'latest' ? {} : { credit: tags.get(credit) ?? null }),
      ...(spend === 'latest' ? {} : { spend: tags.get(spend) ?? null }),
      shown,
    };
  }

  async #marks(wanted: readonly SettlementTag[], height: number): Promise<Marks> {
    const [atCursor, ...replies] = await this.#client.batch([
      blockCall(height),
      ...wanted.map((tag) => ({ method: 'eth_getBlockByNumber', params: [tag, false] })),
    ]);
    const tags = new Map<SettlementTag, BlockRef | null>();
    replies.forEach(({ problem, result }, at) => {
      const tag = wanted[at] as SettlementTag;
      if (problem !== null) throw this.#unknown(tag, problem.message);
      tags.set(tag, result === null || result === undefined ? null : readBlockRef(result));
    });
    this.#noteFinalized(tags.get('finalized') ?? null);
    return { tags, shown: readBlockAt(height, atCursor?.result) };
  }

  /**
   * A final block stays final: a node that reports a lower one is behind, and one that names another block is wrong.
   */
  #noteFinalized(block: BlockRef | null): void {
    const before = this.#finalized;
    if (block === null || before === null) {
      this.#finalized = block ?? before;
      return;
    }
    const back = block.height < before.height || (block.height === before.height && block.hash !== before.hash);
    if (back) {
      this.#client.distrust();
      throw inconsistent(`the finalized block went back from ${before.height} to ${block.height}`);
    }
    this.#finalized = block;
  }

  #unknown(tag: SettlementTag, said: string): TillgateError {
    return new TillgateError(
      'NODE_FAILED',
      `The node at ${this.#client.host} did not return its block "${tag}" (${said.slice(0, 80)}), so deposits wait. ` +
        'Use a node that supports it, or set "creditTag" and "spendTag" of the plugin.',
    );
  }
}
