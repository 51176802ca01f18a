import { setTimeout as pause } from 'node:timers/promises';
import { logsOfBlock, readHeader, readLogs } from '../../../core/index.ts';
import type { BlockHeader, BlockLog, BlockSource, LogFilter } from '../../../core/index.ts';
import { NodeError, NodeGone } from './node-connection.ts';
import type { NodeConnection } from './node-connection.ts';

/** Calls by number that are under way at once. */
const AT_ONCE = 32;
/** A node may announce a block shortly before it answers for it. */
const RETRIES_MS = [50, 200, 800];

const quantity = (number: number): string => `0x${number.toString(16)}`;

/** The blocks and logs of a node, over the connection on which it announces them. */
export class NodeBlocks implements BlockSource {
  readonly #node: NodeConnection;

  constructor(node: NodeConnection) {
    this.#node = node;
  }

  /** The node's newest block; `null` when it has no readable one. */
  latest(): Promise<BlockHeader | null> {
    return this.#orNull(async () => readHeader(await this.#node.call('eth_getBlockByNumber', ['latest', false])));
  }

  blockByHash(hash: string): Promise<BlockHeader | null> {
    return this.#withRetries(async () => readHeader(await this.#node.call('eth_getBlockByHash', [hash, false])));
  }

  async blocksByNumber(from: number, to: number): Promise<readonly BlockHeader[]> {
    const found: BlockHeader[] = [];
    for (let at = from; at <= to; at += AT_ONCE) {
      const count = Math.min(AT_ONCE, to - at + 1);
      const part = await Promise.all(
        Array.from({ length: count }, (_, index) =>
          this.#orNull(async () =>
            readHeader(await this.#node.call('eth_getBlockByNumber', [quantity(at + index), false])),
          ),
        ),
      );
      found.push(...part.filter((header) => header !== null));
    }
    return found;
  }

  logsOf(hash: string, filter: LogFilter): Promise<readonly BlockLog[] | null> {
    return this.#withRetries(async () =>
      readLogs(await this.#node.call('eth_getLogs', [logsOfBlock(filter, hash)]), hash),
    );
  }

  async #withRetries<T>(ask: () => Promise<T | null>): Promise<T | null> {
    for (const waitMs of RETRIES_MS) {
      const answer = await this.#orNull(ask);
      if (answer !== null) return answer;
      await Promise.race([pause(waitMs, undefined, { ref: false }), this.#node.ended]);
    }
    return this.#orNull(ask);
  }

  /** An error of the node is no answer; the end of the connection is thrown. */
  async #orNull<T>(ask: () => Promise<T | null>): Promise<T | null> {
    if (this.#node.isOver) throw new NodeGone();
    try {
      return await ask();
    } catch (error) {
      if (error instanceof NodeError) return null;
      throw error;
    }
  }
}
