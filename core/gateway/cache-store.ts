/** An answer to keep: a key of at most 64 characters, and what is kept under it, at most a few hundred kilobytes. */
export interface StoredAnswer {
  readonly key: string;
  readonly value: string;
}

/**
 * Answers of nodes that several instances of the gateway share. It may forget any of them at any time, and loses nothing by
 * it. Whoever reads an answer has to judge for itself whether it still holds.
 */
export interface CacheStore {
  /** The values of those keys that it has. @throws Error when it cannot be reached */
  find(keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Stores values, each in place of a former one of its key.
   *
   * @param keepMs - how long they are of use, in milliseconds; later they are not found any more
   * @throws Error when it cannot be reached
   */
  put(answers: readonly StoredAnswer[], keepMs: number): Promise<void>;
  close(): Promise<void>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    /** Answers that gateways share; `null` where only one instance may run. */
    readonly answers: CacheStore | null;
  }
}
