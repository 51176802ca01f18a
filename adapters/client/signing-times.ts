const MANY = 256;

/**
 * Signing times for operations whose signatures are accepted once. `Date` has whole seconds, so two equal requests in
 * the same second would have the same signature, and the second would be refused. Each request therefore gets a second
 * of its own.
 */
export class SigningTimes {
  readonly #last = new Map<string, number>();

  /** The next unused second for a request, at or after `now`, in epoch milliseconds. */
  take(request: string, now: number): number {
    const present = Math.floor(now / 1000);
    const second = Math.max(present, (this.#last.get(request) ?? 0) + 1);
    if (this.#last.size >= MANY) this.#forget(present);
    this.#last.set(request, second);
    return second * 1000;
  }

  /** Past seconds are never used again. */
  #forget(present: number): void {
    for (const [request, second] of this.#last) if (second < present) this.#last.delete(request);
  }
}
