/** An object with a time limit. */
export interface Expirable {
  /** From {@link TimeoutQueue.expiryIn}; may change while it is queued. */
  expiresAt: number;
  /** Its position in the queue, set only by the queue; -1 while it is not queued. */
  queuePlace: number;
  /** Called by {@link TimeoutQueue} once, when the time has come; it is no longer queued then. */
  onTimeout(): void;
}

const TICK_MS = 100;

/**
 * Time limits of all requests and connections, checked ten times a second. A timer for each request would cost more
 * than the request's own checks.
 *
 * An array instead of a Set: a Set that grows and shrinks leaves old tables that reference the next one and all
 * previous entries, which V8 then treats as long-lived.
 */
export class TimeoutQueue {
  readonly #queued: Expirable[] = [];
  /** The time of the last check, by `performance.now()`, in milliseconds. */
  #now = performance.now();
  readonly #timer = setInterval(() => this.#expire(), TICK_MS).unref();

  /**
   * The value of `expiresAt` for a time limit that begins now. It ends up to two checks late, and never early when the
   * process was blocked: bytes that arrived meanwhile are read between two checks. Reading the clock each time would
   * cost more than the limit.
   */
  expiryIn(ms: number): number {
    return this.#now + ms;
  }

  add(expirable: Expirable): void {
    if (expirable.queuePlace >= 0) return;
    expirable.queuePlace = this.#queued.push(expirable) - 1;
  }

  delete(expirable: Expirable): void {
    const place = expirable.queuePlace;
    if (place < 0) return;
    expirable.queuePlace = -1;
    const last = this.#queued.pop();
    if (last === undefined || last === expirable) return;
    this.#queued[place] = last;
    last.queuePlace = place;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const expirable of this.#queued.splice(0)) expirable.queuePlace = -1;
  }

  #expire(): void {
    const due = this.#now;
    this.#now = performance.now();
    for (const expirable of this.#queued.filter(({ expiresAt }) => expiresAt <= due)) {
      // The callback of another entry may have removed this one.
      if (expirable.queuePlace < 0 || expirable.expiresAt > due) continue;
      this.delete(expirable);
      expirable.onTimeout();
    }
  }
}
