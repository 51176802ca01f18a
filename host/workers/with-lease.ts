import { setTimeout as pause } from 'node:timers/promises';
import { TillgateError } from '../../core/index.ts';
import type { Lease, LeaseStore } from '../../core/index.ts';

const TTL_MS = 15_000;
const ASK_EVERY_MS = 100;

/**
 * Runs work that two instances must not do at once, such as what the first start creates only once.
 *
 * @throws TillgateError `NOT_READY` when another instance does not finish in time
 */
export async function withLease<T>(
  leases: LeaseStore,
  name: string,
  owner: string,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  for (let waited = 0; waited <= 2 * TTL_MS; waited += ASK_EVERY_MS) {
    const lease = await leases.acquire(name, owner, TTL_MS);
    if (lease === null) {
      await pause(ASK_EVERY_MS);
      continue;
    }
    try {
      return await work(lease);
    } finally {
      await leases.release(lease);
    }
  }
  throw new TillgateError('NOT_READY', `Another instance has held ${name} for too long; stop it and start again.`);
}
