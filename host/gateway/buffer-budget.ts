/** A common limit, in bytes, for the unfinished request bodies of all connections. */
export class BufferBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Reserves bytes; returns false and reserves nothing when too few are left. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}
