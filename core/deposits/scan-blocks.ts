import type { ChainAdapter, DepositStore, ScannedRange, ScanOptions, WatchList } from '../chain/index.ts';

/** An empty watch list, with which {@link scanBlocks} finds the payments to every assigned address. */
export const NO_ADDRESS: WatchList = { has: () => false, nativeKeys: () => [] };

/**
 * Scans blocks for payments to watched addresses and to every other assigned address.
 *
 * Watched addresses are in memory. The other receivers in the blocks are collected during the scan and looked up in the
 * database at once, so that the memory depends on the blocks and not on the number of addresses. Blocks with a payment
 * to an unwatched address, which are rare, are scanned a second time for it. Payments that an adapter finds only for
 * requested addresses (coins that a contract sends) are not found for unwatched ones.
 *
 * @returns `null` when the chain changed between the two scans: try again
 */
export async function scanBlocks(
  chain: ChainAdapter,
  deposits: Pick<DepositStore, 'owners'>,
  [from, to]: readonly [from: number, to: number],
  watch: WatchList,
  options: ScanOptions = {},
): Promise<ScannedRange | null> {
  const others = new Set<string>();
  const scanned = await chain.scan(from, to, collecting(watch, others), options);
  const late = others.size === 0 ? [] : await deposits.owners(chain.code, [...others]);
  if (late.length === 0) return scanned;
  const keys = new Set(late.map(({ key }) => key));
  const second = await chain.scan(from, to, { has: (key) => keys.has(key), nativeKeys: () => [] }, { thorough: true });
  if (second.blocks.at(-1)?.hash !== scanned.blocks.at(-1)?.hash) return null;
  return { blocks: scanned.blocks, transfers: [...scanned.transfers, ...second.transfers] };
}

/** A view of the list that adds receivers outside of it to `others`. */
function collecting(watch: WatchList, others: Set<string>): WatchList {
  const has = (key: string): boolean => {
    if (watch.has(key)) return true;
    others.add(key);
    return false;
  };
  return { has, nativeKeys: () => watch.nativeKeys() };
}
