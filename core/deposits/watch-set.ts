import type { Millis } from '../kernel/index.ts';
import type { WatchList } from '../chain/index.ts';

const MINUTE_MS = 60_000;

/**
 * The watched addresses of one chain, in memory.
 *
 * Ends are stored as whole minutes, so that each entry is a key and a small integer. All entries have the same
 * lifetime, so insertion order is nearly the order of their ends, and `expire` checks only the front.
 */
export class WatchSet implements WatchList {
  /** The last minute of each key whose order is paid in the native coin. */
  readonly #native = new Map<string, number>();
  readonly #others = new Map<string, number>();
  /** The other keys whose orders are open: their payers may have sent the native coin for an earlier choice. */
  readonly #open = new Map<string, number>();

  get size(): number {
    return this.#native.size + this.#others.size;
  }

  /**
   * Watches a key until `until`. Its coin balance is watched until then too if the order is paid in the native coin,
   * otherwise until `openUntil`.
   */
  add(key: string, until: Millis, native: boolean, openUntil: Millis = 0): void {
    for (const keys of [this.#native, this.#others, this.#open]) keys.delete(key);
    (native ? this.#native : this.#others).set(key, Math.ceil(until / MINUTE_MS));
    if (!native && openUntil > 0) this.#open.set(key, Math.ceil(openUntil / MINUTE_MS));
  }

  has(key: string): boolean {
    return this.#others.has(key) || this.#native.has(key);
  }

  *nativeKeys(): Iterable<string> {
    yield* this.#native.keys();
    yield* this.#open.keys();
  }

  /** Removes expired entries, up to the first that has not expired. */
  expire(now: Millis): void {
    for (const keys of [this.#native, this.#others, this.#open]) expireFront(keys, Math.floor(now / MINUTE_MS));
  }
}

function expireFront(keys: Map<string, number>, minute: number): void {
  for (const [key, end] of keys) {
    if (end > minute) return;
    keys.delete(key);
  }
}
