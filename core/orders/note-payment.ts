import { owedUnits } from '../chain/index.ts';
import type { Deposit } from '../chain/index.ts';
import type { AssetCatalogue, Millis } from '../kernel/index.ts';
import { findFiat, formatUnits, present } from '../kernel/index.ts';
import type { RateEvidence } from '../ledger/index.ts';
import { countedUnits, isLate, worthOf } from './late-worth.ts';
import type { OrderRefunds } from './order-refunds.ts';
import { amountRequired } from './order.ts';
import type { Order, OrderHistoryEntry, OrderPayment } from './order.ts';
import type { UndecidedRule } from './undecided-payment.ts';

/**
 * An amount in the order's fiat currency (plain decimal), at the order's rate and at the late payments' first-seen
 * rate.
 */
export interface Worth {
  readonly agreed: string;
  /** `null` when that rate is not known. */
  readonly seen: string | null;
}

/** The worth of deposits in the order's own coin. Deposits in time are worth the same at both rates. */
export function worthInFiat(
  { vsCurrency, payment, expiresAt }: Order,
  deposits: readonly Deposit[],
  assets: Pick<AssetCatalogue, 'find'>,
): Worth | null {
  const asset = payment === null ? null : assets.find(payment.currency);
  if (payment === null || asset === null) return null;
  const { decimals: fiatDecimals } = present(findFiat(vsCurrency), `fiat ${vsCurrency}`);
  const scales = { decimals: asset.decimals, fiatDecimals };
  const sum = (rateOf: (deposit: Deposit) => RateEvidence | null): string | null => {
    let units = 0n;
    for (const deposit of deposits) {
      const rate = rateOf(deposit);
      if (rate === null) return null;
      units += worthOf(owedUnits(deposit), rate, scales);
    }
    return formatUnits(units, fiatDecimals);
  };
  const agreed = present(
    sum(() => payment.rate),
    'the worth at a known rate',
  );
  const seen = sum((deposit) => (deposit.paidAt <= expiresAt ? payment.rate : deposit.rate));
  return { agreed, seen };
}

/** The history row of a payment that was credited without paying its order; `null` for every other payment. */
export function undecidedPayment(
  order: Order,
  deposit: Deposit,
  refunds: OrderRefunds,
  { assets, graceMs, now }: { readonly assets: AssetCatalogue; readonly graceMs: Millis; readonly now: Millis },
): OrderHistoryEntry | null {
  const { payment } = order;
  if (payment?.chain !== deposit.chain || payment.currency !== deposit.currency) return null;
  const rule = undecidedRule(order, deposit, refunds, graceMs);
  return rule === null ? null : entry(order, payment, deposit, { rule, assets, graceMs, now });
}

function undecidedRule(order: Order, deposit: Deposit, refunds: OrderRefunds, graceMs: Millis): UndecidedRule | null {
  switch (order.status) {
    case 'TERMINATED':
    case 'REFUNDED':
      return 'payment-after-end';
    case 'OVERDUE':
    case 'PARTIAL':
      if (refunds.units > 0n) return 'payment-beside-refund';
      return isLate(deposit, order, graceMs) ? 'late-payment-short' : null;
    case 'SUCCESS':
    case 'RESOLVED':
      return refunds.units > 0n ? 'payment-beside-refund' : null;
    case 'PENDING':
      return null;
  }
}

function entry(
  order: Order,
  payment: OrderPayment,
  deposit: Deposit,
  {
    rule,
    assets,
    graceMs,
    now,
  }: { readonly rule: UndecidedRule; readonly assets: AssetCatalogue; readonly graceMs: Millis; readonly now: Millis },
): OrderHistoryEntry {
  const worth = worthInFiat(order, [deposit], assets);
  return {
    orderId: order.id,
    at: now,
    from: order.status,
    to: order.status,
    rule,
    inputs: {
      depositId: deposit.id,
      txid: deposit.txid,
      units: owedUnits(deposit).toString(),
      paidAt: deposit.paidAt,
      counted: countedUnits(order, deposit, graceMs).toString(),
      required: amountRequired(payment.units, order.toleranceBps).toString(),
      vsCurrency: order.vsCurrency,
      worthAgreed: worth?.agreed ?? null,
      worthSeen: worth?.seen ?? null,
    },
    rate: deposit.rate,
  };
}
