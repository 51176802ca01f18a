/** Limits a route's further requests, hedged or repeated, to a share of its requests: its upstreams get only so many more. */
export class RequestBudget {
  readonly #requestsForOne: number;
  readonly #most: number;
  /** Requests that were sent once, as credit for further ones. */
  #requests: number;

  /**
   * @param requestsForOne - one further request is allowed for this many
   * @param burst - the most further requests at once, after as many requests as pay for them
   */
  constructor(requestsForOne: number, burst: number) {
    this.#requestsForOne = requestsForOne;
    this.#most = burst * requestsForOne;
    this.#requests = this.#most;
  }

  /** Counts a request that is sent. */
  count(): void {
    if (this.#requests < this.#most) this.#requests += 1;
  }

  /** True if a request may be sent once more, which is then counted. */
  take(): boolean {
    if (this.#requests < this.#requestsForOne) return false;
    this.#requests -= this.#requestsForOne;
    return true;
  }
}
