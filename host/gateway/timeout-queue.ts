/** Something with a time limit. */
export interface Expirable {
  /** By `performance.now()`, in milliseconds; may change while it is queued. */
  expiresAt: number;
  /** Called by {@link TimeoutQueue} once, when the time has come; it is no longer queued then. */
  onTimeout(): void;
}

const TICK_MS = 100;

/**
 * Time limits of all requests and connections, checked ten times a second. A timer for each request would cost more
 * than the request's own checks.
 */
export class TimeoutQueue {
  readonly #queued = new Set<Expirable>();
  readonly #timer = setInterval(() => this.#expire(), TICK_MS).unref();

  add(expirable: Expirable): void {
    this.#queued.add(expirable);
  }

  delete(expirable: Expirable): void {
    this.#queued.delete(expirable);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#queued.clear();
  }

  #expire(): void {
    const now = performance.now();
    for (const expirable of this.#queued) {
      if (expirable.expiresAt > now) continue;
      this.#queued.delete(expirable);
      expirable.onTimeout();
    }
  }
}
