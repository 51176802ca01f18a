import type { KeyView } from './admission.ts';
import type { AppKeyId, Millis, Random, Vault } from '../kernel/index.ts';
import { token } from '../kernel/index.ts';
import { APP_KEY_LENGTH } from './app-key-text.ts';
import { APP_KEY_LOOKUP } from './app-key.ts';
import type { AppStore, DirectorySource } from './app-store.ts';
import type { GatewaySubject } from './change-feed.ts';
import { FeedFollower, keysUnavailable } from './feed-follower.ts';
import type { FeedFollowerDeps, FeedReader } from './feed-follower.ts';
import { FingerprintCache } from './fingerprint-cache.ts';
import { loadKeys, readChanges } from './fill-key-table.ts';
import { KeyTable } from './key-table.ts';

/**
 * Every App key with its App and account, in memory. Once any instance has answered a revocation, it is in force here
 * for the next look-up.
 */
export interface KeyDirectory {
  /**
   * Finds a key by its text, in any state; `null` when it is unknown.
   *
   * @throws TillgateError `NOT_READY` while this instance cannot be sure that its memory is current
   */
  find(keyText: string): KeyView | null;
  /**
   * A number that changes with every change of any key, App or account: while it is the same, {@link find} finds the
   * same. `null` while find would throw. Without it every request is looked up.
   */
  version?(now: Millis): number | null;
  /** Calls the listener after a change, which checks open WebSockets again. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
  /** Records that a key was used; stored at intervals. */
  used(id: AppKeyId, at: Millis): void;
}

export const KEY_DIRECTORY = token<KeyDirectory>('KeyDirectory');

export interface KeyCacheDeps extends FeedFollowerDeps {
  readonly apps: Pick<AppStore, 'directory' | 'touchKeys'>;
  readonly vault: Vault;
  readonly random: Random;
  /** Further readers of the same feed, such as the routes of the database. */
  readonly alongside?: readonly FeedReader[];
  /** The interval at which last uses are stored, in milliseconds. */
  readonly flushUsesMs?: number;
}

/** More than the changes of one table. */
const LOAD = 2 ** 32;
const FLUSH_USES_MS = 10_000;
const USES_AT_ONCE = 1_000;
/** Above this number, further last uses are not recorded until the next flush. */
const MAX_USES = 100_000;

/**
 * {@link KeyDirectory} in memory, updated by the change feed. The host calls {@link run} in a loop; a notification of a
 * change starts a read at once.
 */
export class KeyCache implements KeyDirectory {
  readonly #deps: KeyCacheDeps;
  readonly #follower: FeedFollower;
  readonly #rows: FingerprintCache;
  #table = new KeyTable();
  #loads = 0;
  #uses = new Map<AppKeyId, Millis>();
  #flushedAt: Millis;

  constructor(deps: KeyCacheDeps) {
    this.#deps = deps;
    this.#rows = new FingerprintCache(deps.random, APP_KEY_LENGTH);
    this.#flushedAt = deps.clock.now();
    const own: FeedReader = { load: () => this.#load(), apply: (subjects) => this.#apply(subjects) };
    this.#follower = new FeedFollower(deps, [own, ...(deps.alongside ?? [])]);
  }

  get size(): number {
    return this.#table.size;
  }

  /** True while look-ups are answered. */
  get ready(): boolean {
    return this.#follower.isFresh;
  }

  find(keyText: string): KeyView | null {
    if (!this.#follower.isFresh) throw keysUnavailable();
    const row = this.#rows.find(keyText);
    if (row === null) return null;
    return row < 0 ? this.#lookUp(keyText) : this.#table.view(row);
  }

  version(now: Millis): number | null {
    return this.#follower.isFreshAt(now) ? this.#loads * LOAD + this.#table.changes : null;
  }

  onChange(listener: () => void): () => void {
    return this.#follower.onChange(listener);
  }

  used(id: AppKeyId, at: Millis): void {
    if (this.#uses.size < MAX_USES || this.#uses.has(id)) this.#uses.set(id, at);
  }

  /** Loads every key and starts to answer. @throws TillgateError `NOT_READY` when the database is unavailable */
  start(): Promise<void> {
    return this.#follower.start();
  }

  /** Makes one pass; never fails. Returns the delay before the next one, in milliseconds. */
  async run(): Promise<number> {
    const wait = await this.#follower.run();
    const { clock, flushUsesMs = FLUSH_USES_MS, logger } = this.#deps;
    if (clock.now() - this.#flushedAt < flushUsesMs) return wait;
    // Not awaited: it must not delay the next read of the feed.
    this.flushUses().catch((error: unknown) => logger.warn('the last uses of keys could not be written', { error }));
    return wait;
  }

  /** Applies new changes and confirms them. @throws TillgateError `NOT_READY` when the database is unavailable */
  refresh(): Promise<void> {
    return this.#follower.refresh();
  }

  /** Stores the last uses recorded so far. */
  async flushUses(): Promise<void> {
    this.#flushedAt = this.#deps.clock.now();
    const uses = [...this.#uses].map(([id, at]) => ({ id, at }));
    this.#uses = new Map();
    for (let start = 0; start < uses.length; start += USES_AT_ONCE) {
      await this.#deps.apps.touchKeys(uses.slice(start, start + USES_AT_ONCE));
    }
  }

  /** Stops answering; writers no longer wait for this instance. */
  async close(): Promise<void> {
    await this.#follower.close();
    await this.flushUses();
  }

  /** The keyed hash is the most expensive step, so it is computed once for each key. */
  #lookUp(keyText: string): KeyView | null {
    const hashes = this.#deps.vault.lookupHashes(APP_KEY_LOOKUP, keyText);
    const row = hashes.map((hash) => this.#table.rowOf(hash)).find((each) => each >= 0) ?? -1;
    if (row < 0) return null;
    // While a previous master key is configured, a key can also be found in a row by its other hash. The hash of the
    // current key counts, so such rows are not cached.
    if (hashes.length === 1) this.#rows.remember(row);
    return this.#table.view(row);
  }

  async #load(): Promise<void> {
    this.#table = await loadKeys(this.#source);
    this.#loads += 1;
    this.#rows.clear();
    this.#rows.fit(this.#table.size);
  }

  async #apply(subjects: readonly GatewaySubject[]): Promise<void> {
    await readChanges(this.#source, this.#table, subjects);
    this.#rows.fit(this.#table.size);
  }

  get #source(): DirectorySource {
    return this.#deps.apps.directory;
  }
}
