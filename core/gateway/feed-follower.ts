import { TillgateError } from '../kernel/index.ts';
import type { Clock, Deadline, Logger, Millis } from '../kernel/index.ts';
import type { ChangeFeed, GatewaySubject } from './change-feed.ts';

/** In-memory data whose changes the feed reports. */
export interface FeedReader {
  /** Reads everything again. The old state stays in force until that is done. */
  load(): Promise<void>;
  /** Reads the changed records again. */
  apply(subjects: readonly GatewaySubject[]): Promise<void>;
}

export interface FeedFollowerDeps {
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly logger: Logger;
  /** A name that no instance had before. */
  readonly instance: string;
  /** How long this instance's data counts as fresh after a confirmation, in milliseconds. */
  readonly leaseMs?: number;
}

/** The longest delay that an instance without an answer causes for a revocation, in milliseconds. */
export const DEFAULT_FEED_LEASE_MS = 5_000;
/** The share of the lease that the instance itself uses; the rest covers different clock speeds of two machines. */
const OWN_SHARE = 0.95;
const PAGE = 1_000;
const RETRY_MS = 200;

/**
 * Follows the change feed, so that the data of its readers is either exact or marked as stale.
 *
 * A writer that revokes something waits until this instance has confirmed the change, or has confirmed nothing for a
 * whole lease. So the data is fresh for one lease, less a margin, counted from *before* the last confirmation was sent.
 * After a gap a writer may have continued without this instance: the data is fresh again only after a further read of
 * the feed that finds nothing new.
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

  /** True while no writer can have continued without a confirmation of this instance. */
  get isFresh(): boolean {
    return this.isFreshAt(this.#deps.clock.now());
  }

  isFreshAt(now: Millis): boolean {
    return now < this.#freshUntil;
  }

  /** Calls the listener after each change, and when the data is no longer fresh. */
  onChange(listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Loads everything and starts to serve. @throws TillgateError `NOT_READY` when the database is unavailable */
  start(): Promise<void> {
    return this.refresh();
  }

  /** Reads the feed once; never fails. Returns the delay before the next read, in milliseconds. */
  async run(): Promise<number> {
    if (this.#closed) return this.#leaseMs;
    try {
      await this.refresh();
      if (this.#failing) this.#deps.logger.info('the gateway reads its change feed again');
      this.#failing = false;
      return Math.min(this.#deps.feed.pollMs, this.#leaseMs / 3);
    } catch (error) {
      if (!this.#failing)
        this.#deps.logger.warn(
          'the gateway cannot read its change feed; it refuses requests once its lease has expired',
          {
            error,
          },
        );
      this.#failing = true;
      return RETRY_MS;
    }
  }

  /** Applies new changes and confirms them. Concurrent calls share one read, which starts after all of them. */
  async refresh(): Promise<void> {
    if (this.#closed) return;
    this.#endNews ??= this.#deps.feed.onNotification(() => void this.run());
    if (this.#running === null) this.#running = this.#rounds();
    else this.#again = true;
    return this.#running;
  }

  /** Stops serving at once; writers no longer wait for this instance. */
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
      // If the lease had expired or the row was removed, a writer may have continued without waiting; its change can be
      // read now.
      const unbroken = known && this.isFresh;
      if (unbroken || !(await this.#catchUp())) {
        this.#markFresh(before);
        return;
      }
    }
  }

  /** Applies all changes up to now; returns true if there were any. */
  async #catchUp(): Promise<boolean> {
    if (this.#applied === null) await this.#load();
    for (let any = false; ; any = true) {
      const applied = this.#applied ?? 0;
      const { head, changes } = await this.#deps.feed.after(applied, PAGE);
      const [first] = changes;
      const last = changes.at(-1);
      // The feed has a gap, or the database was restored: the data in memory cannot be updated and is loaded again.
      if (head < applied || (first?.version ?? head + 1) !== applied + 1) await this.#load();
      else if (last === undefined) return any;
      else {
        for (const reader of this.#readers) await reader.apply(changes.map(({ subject }) => subject));
        this.#applied = last.version;
      }
      this.#notify();
    }
  }

  /** The head is read first, so that changes during the load are read from the feed. */
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

  /** Notifies the listeners when the data becomes stale, because open WebSockets must be closed then. */
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
        this.#deps.logger.error('a listener for changes of the gateway failed', { error });
      }
    }
  }
}

/** The error of an instance whose data is stale. */
export function keysUnavailable(): TillgateError {
  return new TillgateError('NOT_READY', 'App keys cannot be checked at the moment.', { retryAfterSeconds: 1 });
}
