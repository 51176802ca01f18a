import { raiseAlert } from '../notify/index.ts';
import { TillgateError } from '../kernel/index.ts';
import type { BlockRef, Clock, EventBus, IdGenerator, Logger, Metrics, Storage } from '../kernel/index.ts';
import type { ChainAdapter, ChainState } from '../chain/index.ts';
import { readPast } from './find-ancestor.ts';
import { orphanDeposits } from './orphan-deposits.ts';
import type { Orphaned } from './orphan-deposits.ts';

export interface RewindChainDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The outcome of a rewind. */
export interface Rewound {
  readonly reason: string;
  /** The height of the last common block; later blocks are read again. */
  readonly height: number;
  readonly deposits: number;
}

/**
 * Resumes a stopped chain from an earlier block, when a wrong chain was followed for longer than the finality bound and
 * the node is right now. Deposits in blocks above `height` that the node does not have are orphaned, as in a
 * reorganisation, and the blocks are read again.
 *
 * @param height - a block that is known to be right; a later one is used where the stored blocks agree with the node
 * @throws TillgateError `NOT_FOUND` for a chain that was never followed; `STATE_CONFLICT` for one that is not stopped,
 *   and when the node does not have a stored block at or below `height`; `NODE_FAILED`
 */
export async function rewindChain(chain: ChainAdapter, height: number, deps: RewindChainDeps): Promise<Rewound> {
  const { storage, clock, ids, events } = deps;
  const { code, policy } = chain;
  const { cursor, haltedReason } = await stopped(storage, code);
  const from = await commonBlock(chain, storage, Math.min(height, cursor.height), cursor.height);
  const past = await readPast(chain, from);
  const { deposits, losses } = await storage.transaction<Orphaned>(async (tx) => {
    // The follower writes nothing while the chain is stopped, so another caller has resumed it meanwhile.
    if (!(await tx.chains.moveCursor(code, cursor.hash, from)))
      throw new TillgateError('STATE_CONFLICT', `The chain ${code} was resumed already.`);
    await tx.chains.removeBlocksAbove(code, -1);
    await tx.chains.addBlocks(code, past, from.height - policy.finalityBlocks);
    // Orders must not expire by what was read of the wrong chain.
    await tx.chains.setCaughtUp(code, from.time);
    await tx.transfers.unminePayouts(code, from.height);
    return orphanDeposits(tx, {
      chain: code,
      assets: chain.assets,
      ancestorHeight: from.height,
      now: clock.now(),
      ids,
      mempool: chain.mempool !== undefined,
    });
  });
  await storage.chains.setHalted(code, null);
  for (const { orderId } of deposits) events.emit('order.payment', { orderId });
  for (const { accountId, reason } of losses) raiseAlert(deps, 'loss', `account ${accountId}`, reason);
  return { reason: haltedReason, height: from.height, deposits: deposits.length };
}

type Stopped = ChainState & { readonly cursor: BlockRef; readonly haltedReason: string };

async function stopped({ chains }: Pick<Storage, 'chains'>, code: string): Promise<Stopped> {
  const state = await chains.state(code);
  if (state === null)
    throw new TillgateError('NOT_FOUND', `The chain ${code} is not configured, or was never followed.`);
  const { cursor, haltedReason } = state;
  if (cursor === null || haltedReason === null)
    throw new TillgateError('STATE_CONFLICT', `The chain ${code} is not stopped.`);
  return { ...state, cursor, haltedReason };
}

/** The last block at or above `least` that both the node and the database have; known from stored blocks and deposits. */
async function commonBlock(chain: ChainAdapter, storage: Storage, least: number, top: number): Promise<BlockRef> {
  const known = await knownBlocks(chain, storage, least, top);
  for (const { height, hash } of known) {
    const block = await chain.blockAt(height);
    if (block?.hash === hash && height >= least) return block;
    if (block?.hash === hash) break;
    if (height <= least) {
      throw new TillgateError(
        'STATE_CONFLICT',
        `The node of ${chain.name} has another block at height ${height} than the one that was followed: give an earlier block, or check the node.`,
      );
    }
  }
  const block = await chain.blockAt(least);
  if (block === null)
    throw new TillgateError('NODE_FAILED', `The node of ${chain.name} does not have block ${least} yet.`);
  return block;
}

/** Blocks with a known hash, latest first, down to the first one at or below `least`. */
async function knownBlocks(
  chain: ChainAdapter,
  storage: Storage,
  least: number,
  top: number,
): Promise<readonly Pick<BlockRef, 'height' | 'hash'>[]> {
  const known = new Map<number, string>();
  for (let height = top; height >= least; height--) {
    const block = await storage.chains.block(chain.code, height);
    if (block === null) break;
    known.set(height, block.hash);
  }
  // Blocks are pruned after a while, deposits are kept.
  const deposits = await storage.transaction((tx) =>
    tx.deposits.above(chain.code, Math.max(least - chain.policy.finalityBlocks, 0) - 1),
  );
  for (const { blockHeight, blockHash } of deposits) known.set(blockHeight, blockHash);
  const sorted = [...known].map(([height, hash]) => ({ height, hash })).sort((a, b) => b.height - a.height);
  const last = sorted.findIndex(({ height }) => height <= least);
  return last < 0 ? sorted : sorted.slice(0, last + 1);
}
