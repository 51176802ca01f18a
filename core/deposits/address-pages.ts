import type { BlockRef, ChainCode, Millis, Storage } from '../kernel/index.ts';
import type { ComparedAddress, ComparisonStore, ComparisonTurn } from './comparison-store.ts';
import type { ComparableChain } from './compare-addresses.ts';

/**
 * The block at which balances are compared; `null` before the chain was followed. It is one below the cursor, because a
 * node may answer for its latest block with the state of the next one.
 *
 * @throws TillgateError `NODE_FAILED`
 */
export async function comparedBlock(
  chain: ComparableChain,
  { chains }: Pick<Storage, 'chains'>,
): Promise<BlockRef | null> {
  const cursor = (await chains.state(chain.code))?.cursor ?? null;
  return cursor === null ? null : chain.blockAt(Math.max(cursor.height - 1, 0));
}

interface Pages {
  readonly turn: ComparisonTurn;
  /** The time at which an address is watched, for that turn. */
  readonly now: Millis;
  /** The addresses of a page. */
  readonly size: number;
  readonly most?: number;
}

/** The deposit addresses of a chain, in pages. */
export async function* addressPages(
  comparisons: Pick<ComparisonStore, 'next'>,
  chain: ChainCode,
  { turn, now, size, most = Infinity }: Pages,
): AsyncIterable<readonly ComparedAddress[]> {
  let after: string | null = null;
  for (let page = 0; page < most; page++) {
    const next: Awaited<ReturnType<typeof comparisons.next>> = await comparisons.next(chain, turn, {
      after,
      now,
      limit: size,
    });
    if (next.addresses.length > 0) yield next.addresses;
    if (next.addresses.length < size) return;
    after = next.last;
  }
}
