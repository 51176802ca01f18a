import type { BlockHeader, BlockLog } from './block-header.ts';
import { ChainWindow } from './chain-window.ts';
import type { WindowBlock } from './chain-window.ts';
import type { LogFilter } from './log-filter.ts';

/** The node from which a feed reads. Each call rejects once the node cannot be asked any more. */
export interface BlockSource {
  /** `null` for a block that the node does not have. */
  blockByHash(hash: string): Promise<BlockHeader | null>;
  /** The headers of these numbers, both ends included, as far as the node has them; they need not be of one branch. */
  blocksByNumber(from: number, to: number): Promise<readonly BlockHeader[]>;
  /** The logs of a block in their order; `null` when the node does not have them. */
  logsOf(hash: string, filter: LogFilter): Promise<readonly BlockLog[] | null>;
}

/** Receives the blocks of a feed, each once and in order. */
export interface FeedSink {
  /** The filter of the logs that are wanted of the next block; `null` for none. */
  wantedLogs(): LogFilter | null;
  /** A block is no longer part of the chain. Called newest first, before the blocks that replace them. */
  removed(block: WindowBlock): void;
  added(block: WindowBlock): void;
}

/** What became of an announced block. The last three are faults of the node. */
export type Accepted =
  /** It, and what was missing before it, was delivered. */
  | 'delivered'
  /** It was delivered before, or it is the first one, behind which delivery begins. */
  | 'known'
  /** The node is behind what was delivered. */
  | 'behind'
  /** It is too far ahead to fill the gap, or its branch begins before the window. */
  | 'too_far'
  /** Its parents cannot be had, or do not fit together. */
  | 'unlinked'
  | 'no_logs';

/** The most blocks that are filled in at once. */
export const MAX_GAP_BLOCKS = 1_000;
/** The blocks before the first one that are known as well, so that a reorganisation may begin before it. */
const FORMER_BLOCKS = 32;
/** So many blocks are asked for their logs at once. */
const LOGS_AHEAD = 8;
/** So many blocks are asked for by their hashes, one after the other; more by their numbers, and at once. */
const BY_HASH_BLOCKS = 4;

/**
 * Follows a chain through the announcements of one node after the other, and delivers every block once, in order, with
 * its logs. A branch is delivered from its fork on, after the blocks that it replaces were removed. One call of
 * {@link accept} at a time.
 */
export class ChainFeed {
  readonly #window: ChainWindow;
  readonly #sink: FeedSink;
  #turn = 0;
  #caughtUp = false;

  constructor(sink: FeedSink, window = new ChainWindow()) {
    this.#sink = sink;
    this.#window = window;
  }

  /** The number of the last delivered block; `null` before the first one. */
  get head(): number | null {
    return this.#window.tip?.number ?? null;
  }

  /** The turn of the last block whose logs were asked for. */
  get turn(): number {
    return this.#turn;
  }

  /** Another node is read from now on: until it has what was delivered, nothing older of it counts. */
  changeSource(): void {
    this.#caughtUp = false;
  }

  /** Forgets what was delivered; the next announced block is the first one. */
  restart(): void {
    this.#window.clear();
    this.#caughtUp = false;
  }

  /** @throws what the source throws; what was delivered before stays so, and the next call goes on behind it */
  async accept(head: BlockHeader, source: BlockSource): Promise<Accepted> {
    const { tip } = this.#window;
    if (tip === null) {
      await this.#begin(head, source);
      return 'known';
    }
    if (head.hash === tip.hash) this.#caughtUp = true;
    if (this.#window.has(head.hash)) return 'known';
    if (head.number <= tip.number && !this.#caughtUp) return 'behind';
    const branch = await this.#branchTo(head, tip, source);
    if (!Array.isArray(branch)) return branch;
    if (!(await this.#deliverAll(branch, source))) return 'no_logs';
    this.#caughtUp = true;
    return 'delivered';
  }

  async #begin(head: BlockHeader, source: BlockSource): Promise<void> {
    const former = new Map<string, BlockHeader>();
    const from = Math.max(0, head.number - FORMER_BLOCKS);
    if (from < head.number)
      for (const header of await source.blocksByNumber(from, head.number - 1)) former.set(header.hash, header);
    const chain = [head];
    for (let first = head, parent = former.get(head.parentHash); parent?.number === first.number - 1;) {
      chain.unshift(parent);
      [first, parent] = [parent, former.get(parent.parentHash)];
    }
    this.#turn += 1;
    for (const header of chain) this.#window.push({ header, logs: [], turn: this.#turn });
    this.#caughtUp = true;
  }

  /** The blocks from behind the newest delivered ancestor to an announced block. */
  async #branchTo(
    head: BlockHeader,
    tip: BlockHeader,
    source: BlockSource,
  ): Promise<BlockHeader[] | 'too_far' | 'unlinked'> {
    if (head.number - tip.number > MAX_GAP_BLOCKS || head.number <= this.#window.bottom) return 'too_far';
    const known = new Map<string, BlockHeader>();
    if (head.number - tip.number > BY_HASH_BLOCKS)
      for (const header of await source.blocksByNumber(tip.number + 1, head.number - 1)) known.set(header.hash, header);
    const branch = [head];
    for (let first = head; !this.#window.has(first.parentHash);) {
      if (first.number - 1 <= this.#window.bottom) return 'too_far';
      const parent: BlockHeader | null = known.get(first.parentHash) ?? (await source.blockByHash(first.parentHash));
      if (parent?.hash !== first.parentHash || parent.number !== first.number - 1) return 'unlinked';
      branch.unshift(parent);
      first = parent;
    }
    return this.#fits(branch) ? branch : 'unlinked';
  }

  /** A block whose number does not follow that of its parent in the window is an invention. */
  #fits([first]: readonly BlockHeader[]): boolean {
    return first !== undefined && this.#window.numberOf(first.parentHash) === first.number - 1;
  }

  /** Asks for the logs of some blocks ahead, because a gap may have many. False where the logs of one cannot be had. */
  async #deliverAll(branch: readonly BlockHeader[], source: BlockSource): Promise<boolean> {
    const asked: AskedBlock[] = [];
    for (const [at, header] of branch.entries()) {
      while (asked.length < LOGS_AHEAD && at + asked.length < branch.length)
        asked.push(this.#ask(branch[at + asked.length] as BlockHeader, source));
      const { turn, logs: asking } = asked.shift() as AskedBlock;
      // A block and its logs are delivered together or not at all.
      const logs = await asking;
      if (logs === null) return false;
      for (const block of this.#window.rollBack(header.parentHash)) this.#sink.removed(block);
      const block = { header, logs, turn };
      this.#window.push(block);
      this.#sink.added(block);
    }
    return true;
  }

  #ask({ hash }: BlockHeader, source: BlockSource): AskedBlock {
    this.#turn += 1;
    const wanted = this.#sink.wantedLogs();
    const logs = wanted === null ? Promise.resolve([]) : source.logsOf(hash, wanted);
    // When an earlier one fails, nobody waits for this one.
    logs.catch(() => undefined);
    return { turn: this.#turn, logs };
  }
}

interface AskedBlock {
  readonly turn: number;
  readonly logs: Promise<readonly BlockLog[] | null>;
}
