import { readHeader } from '../../../core/index.ts';
import type { BlockHeader, ChainFeed } from '../../../core/index.ts';
import { NodeBlocks } from './node-blocks.ts';
import { NodeError, NodeGone } from './node-connection.ts';
import type { NodeConnection } from './node-connection.ts';

/** Announced blocks that wait. Over the bound the newest one alone is kept: what is missing is filled in before it. */
const MAX_WAITING = 128;

/** So many announced blocks that cannot be had, one after the other, are a fault of the node. */
const MAX_HEADS = 4;

/** Why a session ended: the connection did, or what the node says cannot be continued with. */
export type SessionEnd = 'gone' | 'fault';

/** Reads a feed from one node until its connection ends or its blocks cannot be continued with. */
export class FeedSession {
  readonly node: NodeConnection;
  /** By `performance.now()`: when it last had something new, or was found not to be behind. */
  heardAt = performance.now();
  /** Whether this node has delivered a block, or had the last one. */
  wasUseful = false;
  /** The error with which the node refused to announce blocks, as JSON. */
  refusal: string | null = null;
  readonly #feed: ChainFeed;
  readonly #blocks: NodeBlocks;
  #waiting: BlockHeader[] = [];
  #wake: () => void = () => undefined;

  constructor(node: NodeConnection, feed: ChainFeed) {
    this.node = node;
    this.#feed = feed;
    this.#blocks = new NodeBlocks(node);
  }

  /** @param onReady - called once blocks are announced and the last one is known */
  async run(onReady: () => Promise<void>): Promise<SessionEnd> {
    try {
      this.#feed.changeSource();
      await this.node.subscribe(['newHeads'], (head) => this.#announced(head));
      const latest = await this.#blocks.latest();
      if (latest === null) return 'fault';
      if (!(await this.#accept(latest))) return 'fault';
      await onReady();
      for (;;) {
        const head = await this.#next();
        if (!(await this.#accept(head))) return 'fault';
      }
    } catch (error) {
      if (error instanceof NodeError) {
        this.refusal = error.errorText;
        return 'fault';
      }
      if (error instanceof NodeGone) return 'gone';
      throw error;
    } finally {
      this.node.close();
      this.#wake();
    }
  }

  #announced(value: unknown): void {
    const head = readHeader(value);
    // Ends the connection: a node that announces nonsense cannot be followed.
    if (head === null) throw new NodeGone();
    if (this.#waiting.length >= MAX_WAITING) this.#waiting = [];
    this.#waiting.push(head);
    this.#wake();
  }

  async #next(): Promise<BlockHeader> {
    for (;;) {
      if (this.node.isOver) throw new NodeGone();
      const head = this.#waiting.shift();
      if (head !== undefined) return head;
      await Promise.race([new Promise<void>((resolve) => (this.#wake = resolve)), this.node.ended]);
    }
  }

  /**
   * False for a fault of the node. It is none where a reorganisation has taken the announced block from the node in the
   * meantime: then the newest block counts.
   */
  async #accept(head: BlockHeader): Promise<boolean> {
    for (let [tried, last] = [1, head]; ; tried++) {
      const accepted = await this.#feed.accept(last, this.#blocks);
      if (accepted === 'delivered' || (accepted === 'known' && last.number === this.#feed.head)) {
        this.wasUseful = true;
        this.heardAt = performance.now();
      }
      if (accepted === 'delivered' || accepted === 'known' || accepted === 'behind') return true;
      const newest = this.#waiting.splice(0).at(-1) ?? (await this.#blocks.latest());
      if (newest === null || newest.hash === last.hash || tried === MAX_HEADS) return false;
      last = newest;
    }
  }
}
