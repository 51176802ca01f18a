import { AsyncLocalStorage } from 'node:async_hooks';
import { assert } from '../../../core/index.ts';

/** The transaction that a call comes from, and the enclosing ones of other storages. */
interface Mark {
  readonly guard: NestingGuard;
  open: boolean;
  readonly around: Mark | undefined;
}

/** Shared by all storages of the process: each AsyncLocalStorage costs time on every promise. */
let shared: AsyncLocalStorage<Mark> | null = null;

/**
 * Finds calls of the storage from inside one of its transactions that bypass it. On SQLite's one connection such a
 * write would wait for itself; on any engine such a read misses what the transaction has written.
 *
 * Off by default: on Node 20 following the asynchronous context costs time on every promise of the process. Tests turn
 * it on; without it the idle limit of a transaction ends the wait.
 */
export class NestingGuard {
  readonly #context: AsyncLocalStorage<Mark> | null;

  constructor(on: boolean) {
    this.#context = on ? (shared ??= new AsyncLocalStorage()) : null;
  }

  /** @throws Error when a transaction is open around this call */
  check(): void {
    for (let mark = this.#context?.getStore(); mark !== undefined; mark = mark.around) {
      assert(mark.guard !== this || !mark.open, 'the storage was called inside a transaction, but not through it');
    }
  }

  async inside<T>(work: () => Promise<T>): Promise<T> {
    if (this.#context === null) return work();
    const mark: Mark = { guard: this, open: true, around: this.#context.getStore() };
    try {
      return await this.#context.run(mark, work);
    } finally {
      mark.open = false;
    }
  }
}
