import type { Storage } from '../kernel/index.ts';
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
 * Why the till cannot pay for a replacement; `null` when it can. The till pays what a raised fee costs beyond the
 * charge, and what a cancel costs beyond the charge to its owners, never with money that is owed to merchants.
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

/** True for a sweep of the native coin to the hot wallet: its cancel would be paid with the coins to move. */
export function isOwnSweep({ transfers }: PayoutView, { payments }: Pick<PayingChain, 'payments'>): boolean {
  return transfers.some(({ kind, currency }) => kind === 'sweep' && currency === payments.feeAsset.currency);
}

/** A token's sweep pays with gas that is already booked at its address, and can pay no more than that. */
function paysByGas({ payout, transfers }: PayoutView, { payments }: Pick<PayingChain, 'payments'>): boolean {
  return payout.sourceIndex !== null && transfers.every(({ currency }) => currency !== payments.feeAsset.currency);
}

/** The till's part of a transaction: its fee less the charges for it in the native coin. */
function tillsPart(
  view: PayoutView,
  { payments }: Pick<PayingChain, 'payments'>,
  { feeUnits, kind }: Replacement,
): bigint {
  const native = payments.feeAsset.currency;
  return feeUnits - (kind === 'cancel' ? ownersShare(view, native, feeUnits) : charged(view, native));
}

/** The amount that {@link TillBudget} counts for the existing attempts. */
function counted(view: PayoutView, { payments }: Pick<PayingChain, 'payments'>): bigint {
  const dearest = view.attempts.reduce((most, { feeUnits }) => (feeUnits > most ? feeUnits : most), 0n);
  return dearest - charged(view, payments.feeAsset.currency);
}

function charged({ transfers }: PayoutView, native: string): bigint {
  return transfers
    .filter((transfer) => !isOwnMove(transfer) && transfer.currency === native)
    .reduce((sum, { feeUnits }) => sum + feeUnits, 0n);
}
