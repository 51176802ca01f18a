/** Something with a time limit. */
export interface Expirable {
  /** From {@link TimeoutQueue.expiryIn}; may change while it is queued. */
  expiresAt: number;
  /** Where it stands in the queue, which alone sets it; -1 while it is not queued. */
  queuePlace: number;
  /** Called by {@link TimeoutQueue} once, when the time has come; it is no longer queued then. */
  onTimeout(): void;
}

const TICK_MS = 100;

/**
 * Time limits of all requests and connections, checked ten times a second. A timer for each request would cost more
 * than the request's own checks.
 *
 * An array, and no Set: a Set that grows and shrinks leaves tables behind that refer to the next one and to all that was
 * in them, which V8 then takes for long-lived.
 */
export class TimeoutQueue {
  readonly #queued: Expirable[] = [];
  /** Of the last look, by `performance.now()`, in milliseconds. */
  #now = performance.now();
  readonly #timer = setInterval(() => this.#expire(), TICK_MS).unref();

  /**
   * When a time limit ends that begins now, for `expiresAt`. Two looks late at most, and never early where the process stood still: what
   * arrived meanwhile is read between two looks. To read the clock each time would cost more than the limit.
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
      // Another one's end may have ended it.
      if (expirable.queuePlace < 0 || expirable.expiresAt > due) continue;
      this.delete(expirable);
      expirable.onTimeout();
    }
  }
}
