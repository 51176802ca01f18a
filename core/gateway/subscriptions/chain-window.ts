import type { BlockHeader, BlockLog } from './block-header.ts';

/** A block that was delivered. */
export interface WindowBlock {
  readonly header: BlockHeader;
  /** The logs that were delivered with it, in their order. */
  readonly logs: readonly BlockLog[];
  /** Rises with each delivered block, whatever its number. */
  readonly turn: number;
}

/** The bounds of a {@link ChainWindow}. */
export interface WindowBounds {
  readonly blocks: number;
  /** Characters of headers and logs together. */
  readonly size: number;
}

const DEFAULT_BOUNDS: WindowBounds = { blocks: 1_024, size: 32 * 1024 * 1024 };

/** The latest delivered blocks, each the parent of the next one. */
export class ChainWindow {
  readonly #bounds: WindowBounds;
  /** Oldest first. */
  #blocks: WindowBlock[] = [];
  readonly #byHash = new Map<string, WindowBlock>();
  #size = 0;

  constructor(bounds: WindowBounds = DEFAULT_BOUNDS) {
    this.#bounds = bounds;
  }

  /** The last delivered block; `null` before the first one. */
  get tip(): BlockHeader | null {
    return this.#blocks.at(-1)?.header ?? null;
  }

  /** The lowest number of the window; 0 while it is empty. */
  get bottom(): number {
    return this.#blocks[0]?.header.number ?? 0;
  }

  get blocks(): number {
    return this.#blocks.length;
  }

  /** In characters. */
  get size(): number {
    return this.#size;
  }

  has(hash: string): boolean {
    return this.#byHash.has(hash);
  }

  /** The number of a block of the window; `null` for another one. */
  numberOf(hash: string): number | null {
    return this.#byHash.get(hash)?.header.number ?? null;
  }

  /** Adds a block behind the last one, and drops the oldest ones over the bounds; the newest always stays. */
  push(block: WindowBlock): void {
    this.#blocks.push(block);
    this.#byHash.set(block.header.hash, block);
    this.#size += sizeOf(block);
    while (this.#blocks.length > this.#bounds.blocks || (this.#size > this.#bounds.size && this.#blocks.length > 1))
      this.#drop(this.#blocks.shift());
  }

  /** Removes the blocks behind the one with this hash. @returns them, the newest first */
  rollBack(hash: string): readonly WindowBlock[] {
    const removed: WindowBlock[] = [];
    for (let last = this.#blocks.at(-1); last !== undefined && last.header.hash !== hash; last = this.#blocks.at(-1)) {
      this.#drop(this.#blocks.pop());
      removed.push(last);
    }
    return removed;
  }

  clear(): void {
    this.#blocks = [];
    this.#byHash.clear();
    this.#size = 0;
  }

  #drop(block: WindowBlock | undefined): void {
    if (block === undefined) return;
    this.#byHash.delete(block.header.hash);
    this.#size -= sizeOf(block);
  }
}

const sizeOf = ({ header, logs }: WindowBlock): number =>
  header.text.length + logs.reduce((sum, { text }) => sum + text.length, 0);
