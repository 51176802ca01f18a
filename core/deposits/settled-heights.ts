import { TillgateError } from '../kernel/errors.ts';
import type { BlockRef } from '../ports/block-ref.ts';
import type { ChainAdapter } from '../ports/chain-adapter.ts';
import type { ChainStore } from '../ports/chain-store.ts';

/** Up to which block deposits may be credited, and spent, by what the chain itself marks. */
export interface SettledHeights {
  readonly credit: number;
  readonly spend: number;
}

/** Where a chain marks nothing, confirmations alone decide. */
const EVERY_BLOCK: SettledHeights = { credit: Infinity, spend: Infinity };

/**
 * Reads a chain's marks, and compares the marked blocks with the followed ones: a mark on another branch settles nothing.
 *
 * @throws TillgateError `NODE_FAILED` when a marked block is not the one that was followed, or the node does not tell it
 */
export async function settledHeights(chain: ChainAdapter, stored: Pick<ChainStore, 'block'>): Promise<SettledHeights> {
  if (chain.settled === undefined) return EVERY_BLOCK;
  const { credit, spend } = await chain.settled();
  return { credit: await heightOf(chain, stored, credit), spend: await heightOf(chain, stored, spend) };
}

async function heightOf(
  { code, name }: ChainAdapter,
  stored: Pick<ChainStore, 'block'>,
  mark: BlockRef | null | undefined,
): Promise<number> {
  if (mark === undefined) return Infinity;
  if (mark === null) return -1;
  const followed = await stored.block(code, mark.height);
  if (followed !== null && followed.hash !== mark.hash)
    throw new TillgateError(
      'NODE_FAILED',
      `${name}'s node marks another block ${mark.height} as settled than the one that was followed.`,
    );
  return mark.height;
}
