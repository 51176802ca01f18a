import { MAX_NODE, TillgateError } from '../../core/index.ts';
import type { Clock, IdGenerator, Lease, LeaseStore, Random } from '../../core/index.ts';
import { SnowflakeIds } from '../../adapters/system/index.ts';

export interface WorkerIdDeps {
  readonly leases: LeaseStore;
  readonly owner: string;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Makes the ids of this instance with a worker id that is leased from the database, so that no two running instances
 * share one. An instance that could not renew its lease makes no more ids until it has one again.
 */
export class SnowflakeWorkerId implements IdGenerator {
  readonly #deps: WorkerIdDeps;
  #lease: Lease;
  #ids: IdGenerator;
  #validUntil: number;

  private constructor(deps: WorkerIdDeps, { workerId, lease }: WorkerLease, validUntil: number) {
    this.#deps = deps;
    this.#lease = lease;
    this.#validUntil = validUntil;
    this.#ids = new SnowflakeIds(deps.clock, workerId, deps.random);
  }

  /** @throws TillgateError `NOT_READY` when all worker ids are taken */
  static async take(deps: WorkerIdDeps): Promise<SnowflakeWorkerId> {
    const asked = deps.clock.now();
    return new SnowflakeWorkerId(deps, await leaseWorkerId(deps), asked + deps.ttlMs);
  }

  next(): string {
    if (this.#deps.clock.now() >= this.#validUntil) {
      throw new TillgateError(
        'NOT_READY',
        'This instance could not renew its worker id and creates no ids until its database answers again.',
      );
    }
    return this.#ids.next();
  }

  /** Renews the lease, or takes another worker id when this one was lost. */
  async renew(): Promise<void> {
    const { clock, leases, owner, ttlMs, random } = this.#deps;
    const asked = clock.now();
    const renewed = await leases.acquire(this.#lease.name, owner, ttlMs);
    if (renewed !== null) {
      this.#lease = renewed;
    } else {
      const { workerId, lease } = await leaseWorkerId(this.#deps);
      this.#lease = lease;
      this.#ids = new SnowflakeIds(clock, workerId, random);
    }
    this.#validUntil = asked + ttlMs;
  }

  /** Returns the worker id; no more ids are made. */
  async release(): Promise<void> {
    this.#validUntil = 0;
    await this.#deps.leases.release(this.#lease);
  }
}

interface WorkerLease {
  readonly workerId: number;
  readonly lease: Lease;
}

async function leaseWorkerId({ leases, owner, ttlMs }: WorkerIdDeps): Promise<WorkerLease> {
  const taken = await leases.acquireNode(owner, ttlMs, MAX_NODE);
  if (taken === null)
    throw new TillgateError('NOT_READY', 'Every worker id is taken; stop instances that are not needed.');
  return { workerId: taken.node, lease: taken.lease };
}
