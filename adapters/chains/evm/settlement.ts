import { TillgateError } from '../../../core/index.ts';
import type { BlockRef, SettledBlocks } from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import { readBlockRef } from './blocks.ts';
import type { SettlementTag, SettlementTags } from './evm-options.ts';
import { inconsistent } from './rpc-values.ts';

type Marks = ReadonlyMap<SettlementTag, BlockRef | null>;

/**
 * The blocks that a chain marks by the tags `safe` and `finalized` of `eth_getBlockByNumber`. A second layer marks what was
 * posted to its first layer, and what cannot be reversed there.
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
   * Both tags in one request.
   *
   * @throws TillgateError `NODE_FAILED` when the node does not know a tag, or takes back what it called final
   */
  async read(): Promise<SettledBlocks> {
    const { credit, spend } = this.#tags;
    const marks = await this.#marks([...new Set([credit, spend])].filter((tag) => tag !== 'latest'));
    return {
      ...(credit === 'latest' ? {} : { credit: marks.get(credit) ?? null }),
      ...(spend === 'latest' ? {} : { spend: marks.get(spend) ?? null }),
    };
  }

  async #marks(tags: readonly SettlementTag[]): Promise<Marks> {
    const calls = tags.map((tag) => ({ method: 'eth_getBlockByNumber', params: [tag, false] }));
    const replies = await this.#client.batch(calls);
    const marks = new Map<SettlementTag, BlockRef | null>();
    replies.forEach(({ problem, result }, at) => {
      const tag = tags[at] as SettlementTag;
      if (problem !== null) throw this.#unknown(tag, problem.message);
      marks.set(tag, result === null || result === undefined ? null : readBlockRef(result));
    });
    this.#noteFinalized(marks.get('finalized') ?? null);
    return marks;
  }

  /** What is final stays final: a node that says less is behind, and one that names another block is wrong. */
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
      `The node at ${this.#client.host} does not tell its block "${tag}" (${said.slice(0, 80)}): deposits wait for it. ` +
        'Use a node that does, or set "creditTag" and "spendTag" of the plugin.',
    );
  }
}
