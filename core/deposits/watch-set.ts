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
  /** The last minute of each key whose order wants the chain's own coin. */
  readonly #native = new Map<string, number>();
  readonly #others = new Map<string, number>();

  get size(): number {
    return this.#native.size + this.#others.size;
  }

  /** Watches a key until `until`; `native` while its order wants the chain's own coin. */
  add(key: string, until: Millis, native: boolean): void {
    const [own, other] = native ? [this.#native, this.#others] : [this.#others, this.#native];
    other.delete(key);
    own.delete(key);
    own.set(key, Math.ceil(until / MINUTE_MS));
  }

  has(key: string): boolean {
    return this.#others.has(key) || this.#native.has(key);
  }

  nativeKeys(): Iterable<string> {
    return this.#native.keys();
  }

  /** Removes expired entries; stops at the first that has not expired. */
  expire(now: Millis): void {
    for (const keys of [this.#native, this.#others]) expireFront(keys, Math.floor(now / MINUTE_MS));
  }
}

function expireFront(keys: Map<string, number>, minute: number): void {
  for (const [key, end] of keys) {
    if (end > minute) return;
    keys.delete(key);
  }
}
