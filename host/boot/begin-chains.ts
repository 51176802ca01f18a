import type { ChainCode, ChainFollower, LeaseStore, Logger, Storage } from '../../core/index.ts';
import { withLease } from '../workers/with-lease.ts';

export interface BeginTools {
  readonly storage: Pick<Storage, 'chains'> & { readonly leases: LeaseStore };
  readonly followers: ReadonlyMap<ChainCode, ChainFollower>;
  readonly logger: Logger;
  readonly owner: string;
}

/**
 * Sets the starting block of every chain that was never followed, before the till takes orders: following starts at the
 * head, so a payment in an earlier block would be missed. The worker of a chain does it later when its node cannot be
 * reached now.
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
    logger.warn('chain unreachable; it takes no orders until its node answers', { chain, error });
  }
}

async function hasBegun({ chains }: Pick<Storage, 'chains'>, chain: ChainCode): Promise<boolean> {
  return ((await chains.state(chain))?.cursor ?? null) !== null;
}
