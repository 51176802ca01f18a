import type { ClockWatch } from '../boot/clock-watch.ts';
import { isTillgateError } from '../../core/index.ts';
import { Outages } from './outages.ts';
import type { Clock, Lease, LeaseStore, Logger, Metrics } from '../../core/index.ts';

/** The work of a loop. */
export interface LoopWork {
  readonly name: string;
  /** The lease that an iteration needs, so that one instance works at a time; `null` where every instance works. */
  readonly lease: string | null;
  /**
   * One iteration.
   *
   * @returns milliseconds until the next, 0 for none; `wake` ends the wait early
   */
  pass(lease: Lease | null): Promise<number>;
}

/** The dependencies that all loops share. */
export interface LoopTools {
  readonly leases: LeaseStore;
  readonly owner: string;
  /** A lease expires this long after its holder last renewed it, in milliseconds. */
  readonly leaseTtlMs: number;
  /** An instance whose clock differs from the database's holds no leases. */
  readonly clockWatch: Pick<ClockWatch, 'agrees' | 'measure'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;

/**
 * Repeats its work until it is stopped. After an error it retries with growing pauses; other loops are not affected. A
 * lost lease is not an error: another instance does the work until it releases the lease.
 */
export class Loop {
  readonly #work: LoopWork;
  readonly #tools: LoopTools;
  readonly #logger: Logger;
  readonly #outages: Outages;
  #lease: Lease | null = null;
  #renewal: NodeJS.Timeout | null = null;
  #failures = 0;
  #stopping = false;
  #woken = false;
  #endWait: (() => void) | null = null;
  #done: Promise<void> | null = null;

  /** @param outages - shared by loops that what is unavailable stops together */
  constructor(work: LoopWork, tools: LoopTools, outages = new Outages(tools)) {
    this.#work = work;
    this.#outages = outages;
    this.#tools = tools;
    this.#logger = tools.logger.child({ loop: work.name });
    tools.metrics.count('tillgate_worker_errors_total', { loop: work.name }, 0);
  }

  /** Starting a running loop does nothing. */
  start(): void {
    // The gauge has a value from the start, so that a loop that never succeeds is noticed too.
    if (this.#done === null) this.#noteSuccess();
    this.#done ??= this.#run();
  }

  /** Ends the present wait; during an iteration it makes the next one follow at once. */
  wake(): void {
    this.#woken = true;
    this.#endWait?.();
  }

  /** Waits for the running iteration to finish and releases the lease. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#endWait?.();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#woken = false;
      await this.#wait(await this.#attempt());
    }
    await this.#letGo();
  }

  async #attempt(): Promise<number> {
    try {
      if (!(await this.#haveLease())) return this.#tools.leaseTtlMs / 3;
      const wait = await this.#work.pass(this.#lease);
      this.#failures = 0;
      this.#outages.worked(this.#work.name);
      this.#noteSuccess();
      return wait;
    } catch (error) {
      if (!isTillgateError(error, 'LEASE_LOST')) return this.#backOff(error);
      this.#forget();
      return this.#tools.leaseTtlMs / 3;
    }
  }

  #noteSuccess(): void {
    const { clock, metrics } = this.#tools;
    metrics.gauge('tillgate_loop_success_timestamp_seconds', clock.now() / 1_000, { loop: this.#work.name });
  }

  #backOff(error: unknown): number {
    const wait = Math.min(FIRST_BACKOFF_MS * 2 ** this.#failures, LONGEST_BACKOFF_MS);
    this.#failures = Math.min(this.#failures + 1, 16);
    this.#tools.metrics.count('tillgate_worker_errors_total', { loop: this.#work.name });
    const level = this.#outages.failed(this.#work.name, error) ? 'error' : 'debug';
    this.#logger[level]('worker iteration failed, retrying', { error, failures: this.#failures, waitMs: wait });
    return wait;
  }

  async #haveLease(): Promise<boolean> {
    const { lease: name } = this.#work;
    if (name === null) return true;
    if (!this.#tools.clockWatch.agrees()) {
      await this.#letGo();
      return false;
    }
    if (this.#lease !== null) return true;
    this.#lease = await this.#tools.leases.acquire(name, this.#tools.owner, this.#tools.leaseTtlMs);
    if (this.#lease === null) return false;
    this.#logger.debug('took the lease', { fence: this.#lease.fence });
    this.#renewal = setInterval(() => void this.#renew(name), this.#tools.leaseTtlMs / 3);
    this.#renewal.unref();
    return true;
  }

  async #renew(name: string): Promise<void> {
    if (!this.#tools.clockWatch.agrees()) return;
    try {
      const renewed = await this.#tools.leases.acquire(name, this.#tools.owner, this.#tools.leaseTtlMs);
      if (this.#lease === null) return;
      if (renewed === null) this.#forget();
      else this.#lease = renewed;
    } catch (error) {
      // The fence prevents the holder of an expired lease from writing, so a failed renewal only costs time.
      const level = this.#outages.failed(this.#work.name, error) ? 'warn' : 'debug';
      this.#logger[level]('could not renew the lease', { error });
    }
  }

  #forget(): void {
    if (this.#lease !== null) this.#logger.info('lost the lease to another instance');
    this.#lease = null;
    if (this.#renewal !== null) clearInterval(this.#renewal);
    this.#renewal = null;
  }

  async #letGo(): Promise<void> {
    const lease = this.#lease;
    this.#lease = null;
    if (this.#renewal !== null) clearInterval(this.#renewal);
    this.#renewal = null;
    if (lease === null) return;
    try {
      await this.#tools.leases.release(lease);
    } catch (error) {
      this.#logger.warn('could not release the lease; it will expire', { error });
    }
  }

  async #wait(ms: number): Promise<void> {
    if (this.#stopping) return;
    if (ms <= 0 || this.#woken) {
      // Lets requests and signals be handled between two iterations of a busy loop.
      await new Promise<void>((resolve) => setImmediate(resolve));
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endWait = null;
  }
}
