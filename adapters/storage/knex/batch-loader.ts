/** How many queries may be on their way: the second keeps a slow one from holding up everybody. */
const AT_ONCE = 2;

interface Waiting<V> {
  readonly key: string;
  readonly resolve: (value: V | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Answers look-ups that wait together by one query, and while it is on its way lets the next ones gather. Nothing is
 * remembered: a query carries only calls that were made before it was sent, so each sees every change that was
 * committed before its call.
 */
export class BatchLoader<V> {
  readonly #fetch: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>;
  readonly #maxKeys: number;
  #waiting: Waiting<V>[] = [];
  #onTheWay = 0;
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

  /** Waits for the end of this turn of the event loop: what came with one read of the sockets goes together. */
  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#onTheWay >= AT_ONCE) return;
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
    this.#onTheWay += 1;
    this.#fetch([...new Set(waiting.map(({ key }) => key))])
      .finally(() => {
        this.#onTheWay -= 1;
        this.#schedule();
      })
      .then(
        (found) => waiting.forEach(({ key, resolve }) => resolve(found.get(key) ?? null)),
        (error: unknown) => waiting.forEach(({ reject }) => reject(error)),
      );
  }
}
