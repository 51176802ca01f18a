import type { BlockRef } from '../../core/index.ts';

/** The latest blocks that were read, to distinguish a lagging node from a reorganised chain. */
export class RecentBlocks {
  static readonly KEPT = 512;
  readonly #hashes = new Map<number, string>();
  #height = -1;

  /** The height of the highest accepted head. */
  get height(): number {
    return this.#height;
  }

  /**
   * Whether a head is lower than an earlier one and its ancestor. When that is no longer known, it is assumed down to
   * `finalityBlocks`; the follower compares a deeper head with the stored blocks.
   */
  isBehind(head: BlockRef, finalityBlocks: number): boolean {
    const missing = this.#height - head.height;
    if (missing <= 0) return false;
    const known = this.#hashes.get(head.height);
    return known === undefined ? missing <= finalityBlocks : known === head.hash;
  }

  /** Accepts a head; blocks known above it belong to another branch. */
  note(head: BlockRef): void {
    this.#height = head.height;
    for (const height of this.#hashes.keys()) {
      if (height > head.height || height <= head.height - RecentBlocks.KEPT) this.#hashes.delete(height);
    }
    this.noteScanned(head);
    if (head.height > 0) this.#hashes.set(head.height - 1, head.parentHash);
  }

  /** Remembers a block below the head. */
  noteScanned(block: BlockRef): void {
    if (block.height > this.#height - RecentBlocks.KEPT) this.#hashes.set(block.height, block.hash);
  }
}
