/** Queries that may run at the same time. With a second one, a slow query does not block all look-ups. */
const MAX_IN_FLIGHT = 2;

interface Waiting<V> {
  readonly key: string;
  readonly resolve: (value: V | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches concurrent look-ups into one query; while it runs, the next batch collects. Nothing is cached: a query has
 * only keys requested before it was sent, so each look-up sees every change committed before it.
 */
export class BatchLoader<V> {
  readonly #fetch: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>;
  readonly #maxKeys: number;
  #waiting: Waiting<V>[] = [];
  #inFlight = 0;
  #scheduled = false;

  constructor(fetch: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>, maxKeys = 500) {
    this.#fetch = fetch;
    this.#maxKeys = maxKeys;
  }

  get(key: string): Promise<V | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
      if (this.#waiting.length >= this.#maxKeys) this.#send();
      else this.#schedule();
    });
  }

  /** Waits for the end of this turn of the event loop, so that requests of one socket read share a batch. */
  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#inFlight >= MAX_IN_FLIGHT) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  #send(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    this.#inFlight += 1;
    this.#fetch([...new Set(waiting.map(({ key }) => key))])
      .finally(() => {
        this.#inFlight -= 1;
        this.#schedule();
      })
      .then(
        (found) => waiting.forEach(({ key, resolve }) => resolve(found.get(key) ?? null)),
        (error: unknown) => waiting.forEach(({ reject }) => reject(error)),
      );
  }
}
