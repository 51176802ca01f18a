import { TillgateError } from '../kernel/errors.ts';
import type { Millis } from '../kernel/time.ts';
import type { ChangeFeed, GatewaySubject } from '../ports/change-feed.ts';
import type { Clock } from '../ports/clock.ts';
import type { Deadline } from '../ports/deadline.ts';
import type { Logger } from '../ports/logger.ts';

/** A memory of the data whose changes the feed reports. */
export interface FeedReader {
  /** Reads everything again. The former state stays in force until that is done. */
  load(): Promise<void>;
  /** Reads again what changed. */
  apply(subjects: readonly GatewaySubject[]): Promise<void>;
}

export interface FeedFollowerDeps {
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly logger: Logger;
  /** Unique among the instances of all times. */
  readonly instance: string;
  /** How long this instance may be relied on without a word from it, in milliseconds. */
  readonly leaseMs?: number;
}

/** By so much a silent instance delays a revocation, at most. */
export const DEFAULT_FEED_LEASE_MS = 5_000;
/** What is left to the differences between two machines' steady clocks. */
const OWN_SHARE = 0.95;
const PAGE = 1_000;
const RETRY_MS = 200;

/**
 * Follows the change feed so that what its readers know is exact, or known not to be.
 *
 * Whoever takes something away waits until this instance has confirmed it, or was silent for a whole lease. So this
 * instance trusts itself for a lease, less a margin, from *before* it sent its last confirmation. After a gap a writer
 * may have gone on without it: then trust comes back only with one more look at the feed that finds nothing new.
 */
export class FeedFollower {
  readonly #deps: FeedFollowerDeps;
  readonly #readers: readonly FeedReader[];
  readonly #leaseMs: number;
  readonly #listeners = new Set<() => void>();
  /** The last version that the readers have applied; `null` before everything was loaded. */
  #applied: number | null = null;
  #freshUntil: Millis = -Infinity;
  #confirmedAt: Millis = -Infinity;
  #running: Promise<void> | null = null;
  #again = false;
  #failing = false;
  #endNews: (() => void) | null = null;
  #watching = false;
  #closed = false;

  constructor(deps: FeedFollowerDeps, readers: readonly FeedReader[]) {
    this.#deps = deps;
    this.#readers = readers;
    this.#leaseMs = deps.leaseMs ?? DEFAULT_FEED_LEASE_MS;
  }

  /** True while no writer can have gone on without this instance. */
  get isFresh(): boolean {
    return this.#deps.clock.now() < this.#freshUntil;
  }

  /** The listener is called after anything changed, and when this instance can't be sure of what it knows any more. */
  onChange(listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Loads everything and begins to serve. @throws TillgateError `NOT_READY` when the database is away */
  start(): Promise<void> {
    return this.refresh();
  }

  /** One look at the feed; never fails. Returns how long to wait before the next, in milliseconds. */
  async run(): Promise<number> {
    if (this.#closed) return this.#leaseMs;
    try {
      await this.refresh();
      if (this.#failing) this.#deps.logger.info('the gateway follows its changes again');
      this.#failing = false;
      return Math.min(this.#deps.feed.pollMs, this.#leaseMs / 3);
    } catch (error) {
      if (!this.#failing) this.#deps.logger.warn('the gateway cannot follow its changes; it refuses when its lease has run out', { error });
      this.#failing = true;
      return RETRY_MS;
    }
  }

  /** Applies what is new and confirms it. Calls that come together share one look that begins after each of them. */
  async refresh(): Promise<void> {
    if (this.#closed) return;
    this.#endNews ??= this.#deps.feed.onNotification(() => void this.run());
    if (this.#running === null) this.#running = this.#rounds();
    else this.#again = true;
    return this.#running;
  }

  /** Stops serving, at once, and is waited for no more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#endNews?.();
    this.#invalidate();
    // The caller that requested the read gets the error.
    await Promise.allSettled([this.#running]);
    this.#invalidate();
    await this.#deps.feed.leave(this.#deps.instance);
  }

  async #rounds(): Promise<void> {
    try {
      do {
        this.#again = false;
        await this.#round();
      } while (this.#again && !this.#closed);
    } finally {
      this.#running = null;
    }
  }

  async #round(): Promise<void> {
    const { clock, feed } = this.#deps;
    const changed = await this.#catchUp();
    const due = clock.now() - this.#confirmedAt >= this.#leaseMs / 3;
    if (changed || due || !this.isFresh) await this.#confirm();
    if (due) await feed.reap();
  }

  async #confirm(): Promise<void> {
    const { feed, clock, instance } = this.#deps;
    for (;;) {
      const before = clock.now();
      const known = await feed.confirm(instance, this.#applied ?? 0, this.#leaseMs);
      // Where the lease had run out before this, or its row was gone, somebody may have written without waiting: what
      // they wrote is there to be read now.
      const unbroken = known && this.isFresh;
      if (unbroken || !(await this.#catchUp())) {
        this.#markFresh(before);
        return;
      }
    }
  }

  /** Applies everything up to now; true when there was something. */
  async #catchUp(): Promise<boolean> {
    if (this.#applied === null) await this.#load();
    for (let any = false; ; any = true) {
      const applied = this.#applied ?? 0;
      const { head, changes } = await this.#deps.feed.after(applied, PAGE);
      const [first] = changes;
      const last = changes.at(-1);
      // Changes that are gone already, or a database that was set back: what is known is no base to go on from.
      if (head < applied || (first?.version ?? head + 1) !== applied + 1) await this.#load();
      else if (last === undefined) return any;
      else {
        for (const reader of this.#readers) await reader.apply(changes.map(({ subject }) => subject));
        this.#applied = last.version;
      }
      this.#notify();
    }
  }

  /** What is read after the head is at least as new as it; what changes meanwhile comes by the feed. */
  async #load(): Promise<void> {
    const { head } = await this.#deps.feed.after(0, 1);
    for (const reader of this.#readers) await reader.load();
    this.#applied = head;
  }

  #markFresh(confirmedAt: Millis): void {
    if (this.#closed) return;
    this.#confirmedAt = confirmedAt;
    this.#freshUntil = confirmedAt + this.#leaseMs * OWN_SHARE;
    this.#watch();
  }

  #invalidate(): void {
    this.#freshUntil = -Infinity;
    this.#notify();
  }

  /** What is open must hear of it when trust ends without anybody asking. */
  #watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    const left = Math.max(1, this.#freshUntil - this.#deps.clock.now());
    const look = (): void => {
      this.#watching = false;
      if (this.isFresh) this.#watch();
      else this.#notify();
    };
    this.#deps.deadline(left).addEventListener('abort', look, { once: true });
  }

  #notify(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        this.#deps.logger.error('a listener to changes of the gateway failed', { error });
      }
    }
  }
}

/** The refusal of an instance that can't be sure of what it knows. */
export function keysUnavailable(): TillgateError {
  return new TillgateError('NOT_READY', 'App keys cannot be checked at the moment.', { retryAfterSeconds: 1 });
}
