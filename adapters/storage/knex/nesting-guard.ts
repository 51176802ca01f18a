import { AsyncLocalStorage } from 'node:async_hooks';
import { assert } from '../../../core/index.ts';

/**
 * Finds calls of the storage from inside one of its transactions that bypass it. On SQLite's one connection such a
 * write would wait for itself; on any engine such a read misses what the transaction has written.
 *
 * Off by default: on Node 20 following the asynchronous context costs time on every promise of the process. Tests turn
 * it on; without it the idle limit of a transaction ends the wait.
 */
export class NestingGuard {
  readonly #context: AsyncLocalStorage<{ open: boolean }> | null;

  constructor(on: boolean) {
    this.#context = on ? new AsyncLocalStorage() : null;
  }

  /** @throws Error when a transaction is open around this call */
  check(): void {
    assert(this.#context?.getStore()?.open !== true, 'the storage was called inside a transaction, but not through it');
  }

  async inside<T>(work: () => Promise<T>): Promise<T> {
    if (this.#context === null) return work();
    const mark = { open: true };
    try {
      return await this.#context.run(mark, work);
    } finally {
      mark.open = false;
    }
  }
}
