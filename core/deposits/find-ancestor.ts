import { TillgateError } from '../kernel/index.ts';
import type { BlockRef } from '../kernel/index.ts';
import type { ChainAdapter, ChainStore } from '../chain/index.ts';

/** A block this close to the head may be replaced while its node catches up. */
const TIP_BLOCKS = 3;

/**
 * Compares the stored blocks with the node's. A node with fewer blocks of the same chain lags, which is no
 * reorganisation, however far it is behind. Nothing is read from it until it has caught up; then its blocks are
 * compared.
 *
 * @returns `null` when the node still has the cursor's block; `behind` when it lags; otherwise the last common block
 * @throws TillgateError `CHAIN_HALTED` for another block at or below the finality bound
 */
export async function findAncestor(
  chain: ChainAdapter,
  stored: Pick<ChainStore, 'block'>,
  cursor: BlockRef,
  head: BlockRef,
): Promise<BlockRef | 'behind' | null> {
  const floor = Math.max(cursor.height - chain.policy.finalityBlocks, 0);
  const top = Math.min(cursor.height, head.height);
  for (let height = top; height >= 0; height--) {
    const now = height === head.height ? head : await chain.blockAt(height);
    // A node without a block below its own head is inconsistent at the moment; retry later.
    if (now === null) return 'behind';
    const before = height === cursor.height ? cursor : await stored.block(chain.code, height);
    // No block is stored below the start of following, so nothing there was credited.
    if (before === null || before.hash === now.hash) return height < floor ? 'behind' : sameAs(cursor, now, top);
    if (height <= floor && (head.height - height >= TIP_BLOCKS || height === 0)) throw forked(chain, height);
  }
  return 'behind';
}

function forked({ name, policy }: ChainAdapter, height: number): TillgateError {
  return new TillgateError(
    'CHAIN_HALTED',
    `The node of ${name} has another block at height ${height} than the one that was followed, deeper than the finality bound of ${policy.finalityBlocks} blocks. ` +
      'Check the node, then resume the chain. If the node is right and the followed chain was wrong, resume from a block that is known to be right.',
  );
}

function sameAs(cursor: BlockRef, common: BlockRef, top: number): BlockRef | 'behind' | null {
  if (common.height === cursor.height) return null;
  return common.height === top ? 'behind' : common;
}

/** The number of headers that are requested at a time. */
const HEADERS_AT_ONCE = 10;

/**
 * The blocks from the finality bound to the start of following, lowest first, so that a reorganisation of them is
 * noticed.
 *
 * @throws TillgateError `NODE_FAILED` when the chain changed meanwhile: retry
 */
export async function readPast(chain: ChainAdapter, cursor: BlockRef): Promise<readonly BlockRef[]> {
  const floor = Math.max(cursor.height - chain.policy.finalityBlocks, 0);
  const past: BlockRef[] = [cursor];
  for (let top = cursor.height - 1; top >= floor; top -= HEADERS_AT_ONCE) {
    const heights = Array.from({ length: Math.min(HEADERS_AT_ONCE, top - floor + 1) }, (_, at) => top - at);
    for (const block of await Promise.all(heights.map((height) => chain.blockAt(height)))) {
      if (block === null || past.at(-1)?.parentHash !== block.hash) {
        throw new TillgateError(
          'NODE_FAILED',
          `The last blocks of ${chain.name} are not linked by their hashes; the chain may have changed while they were read.`,
        );
      }
      past.push(block);
    }
  }
  return past.reverse();
}
