import type { ChainAdapter, ScannedRange, ScanOptions, WatchList } from '../ports/chain-adapter.ts';
import type { DepositStore } from '../ports/deposit-store.ts';

/** No address: with it, {@link scanBlocks} finds the payments to every address that was ever given out. */
export const NO_ADDRESS: WatchList = { has: () => false, nativeKeys: () => [] };

/**
 * Scans blocks for payments to watched addresses and to every other address that was ever given out.
 *
 * Watched addresses are in memory. The other receivers in the blocks are collected during the scan and looked up in the
 * database at once, so that the memory needed depends on the blocks, not on how many addresses exist. Blocks with a payment
 * to an address that is not watched, which are rare, are scanned a second time for it. What a chain's adapter finds only
 * for addresses that it is asked about (coins that a contract sends) is not found for those.
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

/** The same list; receivers that are not in it are added to `others`. */
function collecting(watch: WatchList, others: Set<string>): WatchList {
  const has = (key: string): boolean => {
    if (watch.has(key)) return true;
    others.add(key);
    return false;
  };
  return { has, nativeKeys: () => watch.nativeKeys() };
}
