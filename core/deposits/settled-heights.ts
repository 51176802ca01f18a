import { present, TillgateError } from '../kernel/index.ts';
import type { BlockRef } from '../kernel/index.ts';
import type { ChainAdapter, ChainStore, SettledBlocks } from '../chain/index.ts';

/** The heights up to which deposits may be credited and spent, by the chain's own marks. */
export interface SettledHeights {
  readonly credit: number;
  readonly spend: number;
}

/** Where a chain has no marks, confirmations alone decide. */
const EVERY_BLOCK: SettledHeights = { credit: Infinity, spend: Infinity };

/**
 * Limits a mark to what was followed. Above the cursor there is no block to compare it with, so the node that gave it
 * must show the cursor's own block: it may be another node than the followed one, on another branch.
 *
 * @returns the mark, at most the cursor; `null` when the node does not show the cursor's block
 */
export function followedMark(mark: BlockRef | null, shown: SettledBlocks['shown'], cursor: BlockRef): BlockRef | null {
  if (mark === null || mark.height < cursor.height) return mark;
  if (mark.height === cursor.height) return mark.hash === cursor.hash ? mark : null;
  return shown?.height === cursor.height && shown.hash === cursor.hash ? cursor : null;
}

/**
 * Reads a chain's marks and compares the marked blocks with the followed ones: a mark on another branch settles
 * nothing.
 *
 * @throws TillgateError `NODE_FAILED` when a marked block is not part of the followed chain, or the node does not
 *   return its marks
 */
export async function settledHeights(
  chain: ChainAdapter,
  stored: Pick<ChainStore, 'block' | 'state'>,
): Promise<SettledHeights> {
  if (chain.settled === undefined) return EVERY_BLOCK;
  const cursor = present((await stored.state(chain.code))?.cursor, `cursor of ${chain.code}`);
  const marks = await chain.settled(cursor);
  const heightOf = async (mark: BlockRef | null | undefined): Promise<number> => {
    if (mark === undefined) return Infinity;
    if (mark === null) return -1;
    const followed = followedMark(mark, marks.shown, cursor);
    if (followed === null) throw otherBranch(chain, mark.height, cursor.height);
    const known = await stored.block(chain.code, followed.height);
    if (known !== null && known.hash !== followed.hash) throw otherBranch(chain, mark.height, followed.height);
    return followed.height;
  };
  return { credit: await heightOf(marks.credit), spend: await heightOf(marks.spend) };
}

function otherBranch({ name }: ChainAdapter, marked: number, compared: number): TillgateError {
  return new TillgateError(
    'NODE_FAILED',
    `${name}'s node marks block ${marked} as settled, and its block ${compared} is not the one that was followed.`,
  );
}
