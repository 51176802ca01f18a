import type { Millis } from '../kernel/time.ts';

/** A lease. Every write of its holder checks the fence in the same transaction. */
export interface Lease {
  readonly name: string;
  readonly owner: string;
  readonly fence: number;
}

/** Leases, which distribute work among instances. They use the database's time, so that a wrong clock of a machine has no effect. */
export interface LeaseStore {
  /** Acquires a free or expired lease, or renews one's own; `null` while another holds it. A new holder gets a higher fence. */
  acquire(name: string, owner: string, ttlMs: number): Promise<Lease | null>;
  release(lease: Lease): Promise<void>;
  /** The database's own time, which every instance works by; `null` where it runs in this process and has no other. */
  now(): Promise<Millis | null>;
  /**
   * Acquires the lowest free worker id, 0 to `maximum`, as a lease named `node:<number>`; `null` when all are taken.
   */
  acquireNode(
    owner: string,
    ttlMs: number,
    maximum: number,
  ): Promise<{ readonly node: number; readonly lease: Lease } | null>;
  /** The owners of the worker ids that are taken: every instance that runs, and those that died a short while ago. */
  nodeOwners(): Promise<readonly string[]>;
}

/** The fence, inside a transaction. */
export interface LeaseWrites {
  /** @throws TillgateError `LEASE_LOST` when the lease has another fence or owner now; locks it until the transaction ends. */
  check(lease: Lease): Promise<void>;
}
