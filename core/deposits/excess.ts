import { addressPages, comparedBlock } from './address-pages.ts';
import { canCompare, suspectsOf } from './compare-addresses.ts';
import type { ComparableChain } from './compare-addresses.ts';
import type { CurrencyCode, Storage } from '../kernel/index.ts';
import { hotExcess } from '../payouts/index.ts';
import type { CustodyLine, PayingChain } from '../payouts/index.ts';

/** Coins that an address holds beyond the ledger. */
export interface Excess {
  readonly address: string;
  readonly currency: CurrencyCode;
  readonly units: bigint;
}

/** The most pages of addresses of a turn that are read; a page is one node call. */
const PAGES = 20;

/**
 * Coins on an account chain that the ledger does not have: in the hot wallet, and at deposit addresses. Of more than some
 * thousand addresses, those whose watch window is open are read first. It changes nothing: a running till records what
 * is at a deposit address as a deposit, and books what is in the hot wallet as the operator's, once it is deep enough.
 *
 * @param lines - the chain's comparison by {@link reconcile}
 * @throws TillgateError `NODE_FAILED`
 */
export async function findExcesses(
  chain: PayingChain,
  lines: readonly CustodyLine[],
  { storage }: { readonly storage: Pick<Storage, 'transfers' | 'chains' | 'comparisons'> },
): Promise<readonly Excess[]> {
  const { hotAddress: address } = chain.payments;
  const hot = (await hotExcess(chain, lines, storage)).map((excess) => ({ address, ...excess }));
  return [...hot, ...(canCompare(chain) ? await atDepositAddresses(chain, storage) : [])];
}

async function atDepositAddresses(
  chain: ComparableChain,
  storage: Pick<Storage, 'transfers' | 'chains' | 'comparisons'>,
): Promise<readonly Excess[]> {
  const at = await comparedBlock(chain, storage);
  if (at === null) return [];
  const found = new Map<string, Excess>();
  for (const turn of ['watched', 'all'] as const) {
    const pages = { turn, now: at.time, size: chain.present.perCall, most: PAGES };
    for await (const addresses of addressPages(storage.comparisons, chain.code, pages))
      for (const currency of chain.present.currencies) {
        const { suspects } = await suspectsOf(chain, addresses, currency, at, storage);
        for (const { address, booked, read } of suspects) {
          const excess = { address: address.address, currency, units: read.units - booked };
          found.set(`${excess.address} ${currency}`, excess);
        }
      }
  }
  return [...found.values()];
}
