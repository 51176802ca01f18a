import { isTillgateError } from '../core/index.ts';
import type { Lease, LeaseStore, Logger, Metrics } from '../core/index.ts';

/** What a loop does again and again. */
export interface LoopWork {
  readonly name: string;
  /** The lease without which no pass is made: one instance at a time. `null` where every instance works. */
  readonly lease: string | null;
  /**
   * One pass.
   *
   * @returns how many milliseconds to wait before the next, 0 for at once; a `wake` ends the wait early
   */
  pass(lease: Lease | null): Promise<number>;
}

/** What loops share. */
export interface LoopTools {
  readonly leases: LeaseStore;
  readonly owner: string;
  /** A holder that falls silent loses its leases after this long, in milliseconds. */
  readonly leaseTtlMs: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;

/**
 * Work that goes on by itself until it is stopped. An error is logged, waited out with growing pauses, and concerns no
 * other loop; a lost lease is no error: another instance does the work until it lets go.
 */
export class Loop {
  readonly #work: LoopWork;
  readonly #tools: LoopTools;
  readonly #logger: Logger;
  #lease: Lease | null = null;
  #renewal: NodeJS.Timeout | null = null;
  #failures = 0;
  #stopping = false;
  #woken = false;
  #endWait: (() => void) | null = null;
  #done: Promise<void> | null = null;

  constructor(work: LoopWork, tools: LoopTools) {
    this.#work = work;
    this.#tools = tools;
    this.#logger = tools.logger.child({ loop: work.name });
  }

  /** Starts it; starting it twice does nothing. */
  start(): void {
    this.#done ??= this.#run();
  }

  /** Ends the present wait, or makes the pass that runs be followed by another at once. */
  wake(): void {
    this.#woken = true;
    this.#endWait?.();
  }

  /** Lets the pass that runs come to its end and gives the lease back. */
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
      return wait;
    } catch (error) {
      if (!isTillgateError(error, 'LEASE_LOST')) return this.#backOff(error);
      this.#forget();
      return this.#tools.leaseTtlMs / 3;
    }
  }

  #backOff(error: unknown): number {
    const wait = Math.min(FIRST_BACKOFF_MS * 2 ** this.#failures, LONGEST_BACKOFF_MS);
    this.#failures = Math.min(this.#failures + 1, 16);
    this.#tools.metrics.count('tillgate_worker_errors_total', { loop: this.#work.name });
    this.#logger.error('a pass failed and will be tried again', { error, failures: this.#failures, waitMs: wait });
    return wait;
  }

  async #haveLease(): Promise<boolean> {
    const { lease: name } = this.#work;
    if (name === null || this.#lease !== null) return true;
    this.#lease = await this.#tools.leases.acquire(name, this.#tools.owner, this.#tools.leaseTtlMs);
    if (this.#lease === null) return false;
    this.#logger.debug('took the lease', { fence: this.#lease.fence });
    this.#renewal = setInterval(() => void this.#renew(name), this.#tools.leaseTtlMs / 3);
    this.#renewal.unref();
    return true;
  }

  async #renew(name: string): Promise<void> {
    try {
      const renewed = await this.#tools.leases.acquire(name, this.#tools.owner, this.#tools.leaseTtlMs);
      if (this.#lease === null) return;
      if (renewed === null) this.#forget();
      else this.#lease = renewed;
    } catch (error) {
      // The fence keeps a lapsed holder from writing, so nothing is lost but time.
      this.#logger.warn('could not prolong the lease', { error });
    }
  }

  #forget(): void {
    if (this.#lease !== null) this.#logger.info('another instance took over');
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
      this.#logger.warn('could not give the lease back; it will lapse', { error });
    }
  }

  async #wait(ms: number): Promise<void> {
    if (this.#stopping) return;
    if (ms <= 0 || this.#woken) {
      // Requests and signals get their turn between two passes of a busy loop.
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
