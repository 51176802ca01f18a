import type { BlockRef } from '../../core/index.ts';

/** The latest blocks that were read, to tell a node that lags behind from a chain that was reorganised. */
export class RecentBlocks {
  static readonly KEPT = 512;
  readonly #hashes = new Map<number, string>();
  #height = -1;

  /** The height of the highest head that is believed. */
  get height(): number {
    return this.#height;
  }

  /**
   * True for a head that is lower than one before, and an ancestor of it as far as is known. One that fell back further
   * than `finalityBlocks` is no mere laggard: it is for the follower to stop the chain.
   */
  isBehind(head: BlockRef, finalityBlocks: number): boolean {
    const missing = this.#height - head.height;
    if (missing <= 0 || missing > finalityBlocks) return false;
    const known = this.#hashes.get(head.height);
    return known === undefined || known === head.hash;
  }

  /** Believes a head; what was known above it is of another branch. */
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
