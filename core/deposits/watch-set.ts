import type { Millis } from '../kernel/time.ts';
import type { WatchList } from '../ports/chain-adapter.ts';

const MINUTE_MS = 60_000;

/**
 * The watched addresses of one chain, in memory.
 *
 * Ends are stored as whole minutes, so that each entry is a key and a small integer. All entries live equally long, so
 * insertion order is nearly the order of their ends, and `expire` checks the front only.
 */
export class WatchSet implements WatchList {
  readonly #endMinute = new Map<string, number>();
  readonly #native = new Set<string>();

  get size(): number {
    return this.#endMinute.size;
  }

  /** Watches a key until `until`; `native` while its order wants the chain's own coin. */
  add(key: string, until: Millis, native: boolean): void {
    this.#endMinute.delete(key);
    this.#endMinute.set(key, Math.ceil(until / MINUTE_MS));
    if (native) this.#native.add(key);
    else this.#native.delete(key);
  }

  has(key: string): boolean {
    return this.#endMinute.has(key);
  }

  nativeKeys(): Iterable<string> {
    return this.#native;
  }

  /** Removes expired entries; stops at the first that has not expired. */
  expire(now: Millis): void {
    const minute = Math.floor(now / MINUTE_MS);
    for (const [key, end] of this.#endMinute) {
      if (end > minute) return;
      this.#endMinute.delete(key);
      this.#native.delete(key);
    }
  }
}
