interface Waiting<V> {
  readonly key: string;
  readonly resolve: (value: V | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Answers look-ups that wait together by one query. Nothing is remembered: a query carries only calls that were made
 * before it was sent, so each sees every change that was committed before its call.
 */
export class Coalescer<V> {
  readonly #fetch: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>;
  readonly #maxKeys: number;
  #waiting: Waiting<V>[] = [];

  constructor(fetch: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>, maxKeys = 500) {
    this.#fetch = fetch;
    this.#maxKeys = maxKeys;
  }

  get(key: string): Promise<V | null> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#send());
      this.#waiting.push({ key, resolve, reject });
      if (this.#waiting.length >= this.#maxKeys) this.#send();
    });
  }

  #send(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    this.#fetch([...new Set(waiting.map(({ key }) => key))]).then(
      (found) => waiting.forEach(({ key, resolve }) => resolve(found.get(key) ?? null)),
      (error: unknown) => waiting.forEach(({ reject }) => reject(error)),
    );
  }
}
