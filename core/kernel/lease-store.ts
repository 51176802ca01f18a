import type { Millis } from './time.ts';

/** A lease. Every write of its holder checks the fence in the same transaction. */
export interface Lease {
  readonly name: string;
  readonly owner: string;
  readonly fence: number;
}

/** Leases distribute work among instances, by the database's time: a wrong clock of a machine has no effect. */
export interface LeaseStore {
  /**
   * Acquires a free or expired lease, or renews the caller's own; `null` while another instance holds it. A new holder
   * gets a higher fence.
   */
  acquire(name: string, owner: string, ttlMs: number): Promise<Lease | null>;
  release(lease: Lease): Promise<void>;
  /**
   * The time of the database, which every instance uses; `null` where the database runs in this process and has no
   * clock of its own.
   */
  now(): Promise<Millis | null>;
  /** Acquires the lowest free worker id, 0 to `maximum`, as a lease named `node:<number>`; `null` if all are taken. */
  acquireNode(
    owner: string,
    ttlMs: number,
    maximum: number,
  ): Promise<{ readonly node: number; readonly lease: Lease } | null>;
  /** The owners of the taken worker ids: every running instance, and those that stopped a short while ago. */
  nodeOwners(): Promise<readonly string[]>;
}

/** The fence, inside a transaction. */
export interface LeaseWrites {
  /** Locks the lease until the transaction ends. @throws TillgateError `LEASE_LOST` when the fence or owner changed */
  check(lease: Lease): Promise<void>;
}
