import type { ChainCode, Storage } from '../kernel/index.ts';
import type { PayingChain } from './payout-deps.ts';
import type { Holding } from './transfer.ts';

const PAGE = 500;

/** Every coin of a chain that is unspent according to the ledger, page by page. */
export async function allHoldings(
  { transfers }: Pick<Storage, 'transfers'>,
  code: ChainCode,
): Promise<readonly Holding[]> {
  const all: Holding[] = [];
  for (;;) {
    const page: readonly Holding[] = await transfers.holdings(code, all.at(-1)?.ref ?? null, PAGE);
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

/** Whether the chain shows this coin. */
export async function isUnspent(
  { payments }: PayingChain,
  { ref, address, currency }: Pick<Holding, 'ref' | 'address' | 'currency'>,
): Promise<boolean> {
  return ((await payments.custody([{ ref, address, currency }])).get(currency) ?? 0n) > 0n;
}
