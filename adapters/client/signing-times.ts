const MANY = 256;

/**
 * When requests that a till takes once are signed. A date has whole seconds, so that two equal requests within one
 * would have one signature, and the second would be refused as used: here each gets a second of its own.
 */
export class SigningTimes {
  readonly #last = new Map<string, number>();

  /** Epoch milliseconds of the next free second for a request, from `now` on. */
  take(request: string, now: number): number {
    const present = Math.floor(now / 1000);
    const second = Math.max(present, (this.#last.get(request) ?? 0) + 1);
    if (this.#last.size >= MANY) this.#forget(present);
    this.#last.set(request, second);
    return second * 1000;
  }

  /** A second that is over is never handed out again. */
  #forget(present: number): void {
    for (const [request, second] of this.#last) if (second < present) this.#last.delete(request);
  }
}
