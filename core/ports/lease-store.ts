/** A held lease. Every write of its holder checks the fence in the same transaction. */
export interface Lease {
  readonly name: string;
  readonly owner: string;
  readonly fence: number;
}

/** Leases share work among instances. Their time is the database's, so that no machine's clock can steal one. */
export interface LeaseStore {
  /** Takes a free or lapsed lease, or prolongs one's own; `null` while another holds it. A new holder gets a higher fence. */
  acquire(name: string, owner: string, ttlMs: number): Promise<Lease | null>;
  release(lease: Lease): Promise<void>;
  /**
   * Takes the lowest free instance number, 0 to `maximum`, as a lease named `node:<number>`; `null` when all are taken.
   */
  acquireNode(owner: string, ttlMs: number, maximum: number): Promise<{ readonly node: number; readonly lease: Lease } | null>;
}

/** The fence, inside a transaction. */
export interface LeaseWrites {
  /** @throws TillgateError `LEASE_LOST` when the lease has another fence or owner by now; holds it until the transaction ends. */
  check(lease: Lease): Promise<void>;
}
