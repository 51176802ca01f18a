import type { ChainCode, ChainFollower, LeaseStore, Logger, Storage } from '../core/index.ts';
import { withLease } from './with-lease.ts';

export interface BeginTools {
  readonly storage: Pick<Storage, 'chains'> & { readonly leases: LeaseStore };
  readonly followers: ReadonlyMap<ChainCode, ChainFollower>;
  readonly logger: Logger;
  readonly owner: string;
}

/**
 * Gives every chain that was never followed its starting point before the till takes orders: following begins at the
 * head, and a payment in an earlier block would not be seen. A chain that cannot be reached now is left to its worker.
 */
export async function beginChains(tools: BeginTools): Promise<void> {
  await Promise.all([...tools.followers].map(([chain, follower]) => begin(tools, chain, follower)));
}

async function begin({ storage, logger, owner }: BeginTools, chain: ChainCode, follower: ChainFollower): Promise<void> {
  if (await hasBegun(storage, chain)) return;
  try {
    await withLease(storage.leases, `follow:${chain}`, owner, async (lease) => {
      await follower.start();
      if (!(await hasBegun(storage, chain))) await follower.step(lease);
    });
  } catch (error) {
    logger.warn('a chain could not be reached; it takes no orders until it is', { chain, error });
  }
}

async function hasBegun({ chains }: Pick<Storage, 'chains'>, chain: ChainCode): Promise<boolean> {
  return ((await chains.state(chain))?.cursor ?? null) !== null;
}
