import { isTillgateError } from '../../../core/index.ts';

export interface GroupCommitOptions<I, O> {
  /** Commits a batch atomically; outcomes come in the batch's order. */
  readonly commit: (batch: readonly I[]) => Promise<readonly O[]>;
  readonly maxSize: number;
  /** The number of batches that may commit at the same time. */
  readonly atOnce: number;
  /** Two items with a common key are never in one batch: the later one waits for the next. `null` for no key. */
  readonly keysOf: (item: I) => readonly (string | null)[];
}

interface Waiting<I, O> {
  readonly item: I;
  readonly resolve: (outcome: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: while one batch is being committed, the next one collects, so that one flush of the log makes many
 * items durable. The promise of an item resolves only when its batch is committed.
 */
export class GroupCommit<I, O> {
  readonly #options: GroupCommitOptions<I, O>;
  #queue: Waiting<I, O>[] = [];
  #running = 0;
  #scheduled = false;

  constructor(options: GroupCommitOptions<I, O>) {
    this.#options = options;
  }

  add(item: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /** Waits for the end of this turn of the event loop, so that requests of one socket read share a batch. */
  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0 || this.#running >= this.#options.atOnce) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const batch = this.#take();
      this.#running += 1;
      void this.#commit(batch).finally(() => {
        this.#running -= 1;
        this.#schedule();
      });
      this.#schedule();
    });
  }

  #take(): Waiting<I, O>[] {
    const keys = new Set<string>();
    const batch: Waiting<I, O>[] = [];
    const later: Waiting<I, O>[] = [];
    for (const waiting of this.#queue) {
      const own = this.#options.keysOf(waiting.item).filter((key) => key !== null);
      const fits = batch.length < this.#options.maxSize && !own.some((key) => keys.has(key));
      if (fits) for (const key of own) keys.add(key);
      (fits ? batch : later).push(waiting);
    }
    this.#queue = later;
    return batch;
  }

  async #commit(batch: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const outcomes = await this.#options.commit(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(outcomes[index] as O));
    } catch (error) {
      // An unavailable database fails the whole batch; any other error may come from one item, so each is retried alone.
      const [only] = batch;
      if (isTillgateError(error, 'NOT_READY') || (only !== undefined && batch.length === 1)) {
        for (const { reject } of batch) reject(error);
      } else {
        for (const each of batch) await this.#commit([each]);
      }
    }
  }
}
