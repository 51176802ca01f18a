import type { Asset, ChainCode, CurrencyCode } from '../kernel/asset.ts';
import { amountInWords } from '../kernel/amount.ts';
import { ownAccountNames, ownAccounts, solvencyOf } from '../ledger/solvency.ts';
import type { Storage } from '../ports/storage.ts';
import type { PayingChain } from './payout-deps.ts';

/** What a chain holds by the books less what is owed, in one currency; below zero merchants' money is missing. */
export interface SolvencyLine {
  readonly currency: CurrencyCode;
  readonly units: bigint;
}

/** A chain whose payouts are stopped while less is held there than merchants are owed. */
export interface SolvencyScope {
  readonly code: ChainCode;
  readonly assets: readonly Asset[];
  /** Where the operator sends what is missing; `null` where coins of his cannot be found, so that nothing would end a stop. */
  readonly topUp: string | null;
}

/** The solvency of each currency of a chain. What is owed of an unfinished request is what its receiver gets. */
export async function readSolvency(
  { code, assets }: Pick<SolvencyScope, 'code' | 'assets'>,
  { transfers }: Pick<Storage, 'transfers'>,
): Promise<readonly SolvencyLine[]> {
  const { balances, live } = await transfers.position(code, ownAccountNames(code));
  const own = ownAccounts(code, balances);
  const promised = new Map<CurrencyCode, bigint>();
  for (const { isMerchants, currency, feeUnits } of live)
    if (isMerchants) promised.set(currency, (promised.get(currency) ?? 0n) + feeUnits);
  return assets.map(({ currency }) => ({
    currency,
    units: solvencyOf(own(currency), promised.get(currency) ?? 0n),
  }));
}

/** True where coins that the operator sends to the hot wallet are found. */
export function showsFloat({ payments }: Pick<PayingChain, 'payments'>): boolean {
  return payments.model === 'account' || payments.unspent !== undefined;
}

const OWED = 'Merchants are owed more than is held on the chain';

/** What is missing and what the operator has to do; `null` while everything that is owed is held. */
export function insolvencyReason(
  { code, assets, topUp }: SolvencyScope,
  lines: readonly SolvencyLine[],
): string | null {
  const missing = lines
    .filter(({ units }) => units < 0n)
    .map(({ currency, units }) => amountInWords(assets, currency, -units));
  if (missing.length === 0) return null;
  if (topUp === null) return `${OWED} ${code}, by ${missing.join(' and ')}; payouts go on.`;
  return `${OWED} ${code}: send at least ${missing.join(' and ')} to ${topUp}; payouts go on by themselves once that is booked.`;
}

/** True for a stop that {@link insolvencyReason} gave. */
export function isInsolvency(reason: string): boolean {
  return reason.startsWith(OWED);
}
