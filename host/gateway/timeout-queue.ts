/** Something with a time limit. */
export interface Expirable {
  /** By `performance.now()`, in milliseconds; may change while it is queued. */
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
  readonly #timer = setInterval(() => this.#expire(), TICK_MS).unref();

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
    const now = performance.now();
    for (const expirable of this.#queued.filter(({ expiresAt }) => expiresAt <= now)) {
      // Another one's end may have ended it.
      if (expirable.queuePlace < 0 || expirable.expiresAt > now) continue;
      this.delete(expirable);
      expirable.onTimeout();
    }
  }
}
