/** One in this many reads may be sent to a second upstream. */
const READS_FOR_ONE = 10;
/** The most hedged reads at once, after ten times as many reads without one. */
const BURST = 10;

/** Limits a route's reads that are sent twice: when all are slow, its upstreams get only a tenth more requests. */
export class HedgeBudget {
  /** Reads that were not hedged, as credit for further hedges. */
  #reads = BURST * READS_FOR_ONE;

  /** Counts a read that is sent. */
  read(): void {
    this.#reads = Math.min(this.#reads + 1, BURST * READS_FOR_ONE);
  }

  /** True if a read may be sent twice, which is then counted. */
  take(): boolean {
    if (this.#reads < READS_FOR_ONE) return false;
    this.#reads -= READS_FOR_ONE;
    return true;
  }
}
