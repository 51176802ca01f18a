import type { Storage } from '../ports/storage.ts';
import { ownersShare } from './finish-payout.ts';
import type { PayingChain } from './payout-deps.ts';
import { floatLacking, TillBudget } from './till-budget.ts';
import type { FeeBudgets } from './till-budget.ts';
import { isOwnMove } from './transfer.ts';
import type { AttemptKind, PayoutView } from './transfer.ts';

/** A signed replacement of a payout that is not stored yet. */
export interface Replacement {
  readonly feeUnits: bigint;
  readonly kind: AttemptKind;
}

/**
 * Why the till cannot pay for a replacement; `null` when it can. What a raised fee costs beyond the charge is the till's, and so
 * is what a cancel costs beyond what its owners are charged: neither is ever paid with what is owed to merchants.
 */
export async function replacementLack(
  chain: Pick<PayingChain, 'code' | 'payments'>,
  storage: Pick<Storage, 'transfers'>,
  view: PayoutView,
  replacement: Replacement,
  budgets?: FeeBudgets,
): Promise<string | null> {
  if (paysByGas(view, chain)) return null;
  const more = tillsPart(view, chain, replacement) - counted(view, chain);
  if (more <= 0n) return null;
  const budget = await TillBudget.open(chain, storage, budgets);
  if (budget.covers(more) || (isOwnSweep(view, chain) && budget.canAdvance(more))) return null;
  return floatLacking(chain, budget, more);
}

/** The chain's own coin on its way to the hot wallet: a cancel would take its cost from the coins that are to be moved. */
export function isOwnSweep({ transfers }: PayoutView, { payments }: Pick<PayingChain, 'payments'>): boolean {
  return transfers.some(({ kind, currency }) => kind === 'sweep' && currency === payments.feeAsset.currency);
}

/** A token's sweep pays with gas that is booked at its address already, and can pay no more than that. */
function paysByGas({ payout, transfers }: PayoutView, { payments }: Pick<PayingChain, 'payments'>): boolean {
  return payout.sourceIndex !== null && transfers.every(({ currency }) => currency !== payments.feeAsset.currency);
}

/** What the till pays of a transaction: its fee less what is charged for it in the chain's own coin. */
function tillsPart(
  view: PayoutView,
  { payments }: Pick<PayingChain, 'payments'>,
  { feeUnits, kind }: Replacement,
): bigint {
  const native = payments.feeAsset.currency;
  return feeUnits - (kind === 'cancel' ? ownersShare(view, native, feeUnits) : charged(view, native));
}

/** What {@link TillBudget} counts for the attempts that there are. */
function counted(view: PayoutView, { payments }: Pick<PayingChain, 'payments'>): bigint {
  const dearest = view.attempts.reduce((most, { feeUnits }) => (feeUnits > most ? feeUnits : most), 0n);
  return dearest - charged(view, payments.feeAsset.currency);
}

function charged({ transfers }: PayoutView, native: string): bigint {
  return transfers
    .filter((transfer) => !isOwnMove(transfer) && transfer.currency === native)
    .reduce((sum, { feeUnits }) => sum + feeUnits, 0n);
}
