import { setTimeout as pause } from 'node:timers/promises';
import type { TillBase } from './base.ts';
import { beginChains } from './begin-chains.ts';
import type { Till } from './container.ts';
import { Workers } from './workers.ts';
import type { WorkerScope } from './workers.ts';

const DRAIN_MS = 7000;
const CLOSE_MS = 1000;

/** The work of an open till and its orderly end, whoever serves its requests. */
export class TillWork {
  readonly #base: TillBase;
  readonly #till: Till;
  #workers: Workers | null = null;
  #knowsKeys = false;

  constructor(base: TillBase, till: Till) {
    this.#base = base;
    this.#till = till;
  }

  /** Everything that has to be done before requests are answered. */
  async prepare(scope: WorkerScope = 'all'): Promise<void> {
    const { knownKeys, gateway } = this.#till;
    if (scope === 'all') await beginChains({ ...this.#till, owner: this.#base.owner });
    if (!this.#knowsKeys) await knownKeys.start();
    this.#knowsKeys = true;
    gateway.openIfNeeded();
  }

  /** Starts the loops; while they run, starting does nothing. */
  start(scope: WorkerScope = 'all'): void {
    if (this.#workers !== null) return;
    const { storage, owner, leaseTtlMs } = this.#base;
    this.#workers = new Workers(this.#till, { ...this.#till, leases: storage.leases, owner, leaseTtlMs }, scope);
    this.#workers.start();
  }

  /** Lets every pass that runs come to its end and gives the leases back. They can be started again. */
  async stop(): Promise<void> {
    const workers = this.#workers;
    this.#workers = null;
    await workers?.stop();
  }

  /** Waits for `serving` to end and for the work to finish, at the latest 7 seconds. */
  async drain(serving: Promise<unknown>): Promise<void> {
    const finished = Promise.all([serving, this.stop().then(() => this.#till.deliverCallbacks.drain())]);
    const inTime = await Promise.race([finished.then(() => true), pause(DRAIN_MS, false, { ref: false })]);
    // What is cut off here is safe all the same: orders are durable before they are answered, callbacks are sent again.
    if (!inTime) this.#till.logger.warn('not everything came to its end in time; it is resumed at the next start');
  }

  /** Closes the gateway: nobody is served by it any more. */
  async leave(): Promise<void> {
    const { gateway, knownKeys } = this.#till;
    await Promise.race([Promise.all([gateway.close(), knownKeys.close()]), pause(CLOSE_MS, undefined, { ref: false })]);
  }

  /** Gives everything back, the database last; at the latest after 2 seconds. */
  async close(): Promise<void> {
    const { callbackTransport, addressPool, logger } = this.#till;
    await callbackTransport.close();
    await Promise.race([addressPool.release(), pause(CLOSE_MS, undefined, { ref: false })]).catch((error: unknown) => {
      logger.warn('unused addresses were not put back', { error });
    });
    await Promise.race([this.#base.close(), pause(CLOSE_MS, undefined, { ref: false })]);
  }
}
