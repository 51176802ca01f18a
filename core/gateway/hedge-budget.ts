/** One in so many reads may be sent to a second upstream. */
const READS_FOR_ONE = 10;
/** So many may be at once, after as many times the reads without one. */
const BURST = 10;

/** How many of a route's reads may be sent twice: on a day when all are slow, its upstreams get a tenth more, not twice as much. */
export class HedgeBudget {
  /** Reads that no hedge was taken for. */
  #reads = BURST * READS_FOR_ONE;

  /** A read is sent. */
  read(): void {
    this.#reads = Math.min(this.#reads + 1, BURST * READS_FOR_ONE);
  }

  /** True if one may be sent twice; it is counted. */
  take(): boolean {
    if (this.#reads < READS_FOR_ONE) return false;
    this.#reads -= READS_FOR_ONE;
    return true;
  }
}
