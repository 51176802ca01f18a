import { fraction } from './fraction.ts';
import type { DepositRow, OrderRow } from './rows.ts';

/** The time after the deadline in which a payment counts in full. */
export const LATE_GRACE_MS = 10 * 60_000;

interface Rate {
  readonly fixed: boolean;
  readonly coin: { readonly usd: string };
  readonly fiat: { readonly usd: string };
}

/** Statuses of coins that are in the ledger. */
export const CREDITED: ReadonlySet<string> = new Set(['CREDITED', 'SPENDABLE']);

/** Payments in the order's own coin. */
export function paymentsOf(order: OrderRow, deposits: Iterable<DepositRow>): readonly DepositRow[] {
  return [...deposits].filter(
    (row) =>
      row.assignment === 'ORDER' &&
      row.order_id === order.id &&
      row.chain === order.chain &&
      row.currency === order.currency,
  );
}

/**
 * The part of an order's payments that counts: one that came within the grace period after the deadline counts in full,
 * a later one at the worse for the merchant of the order's rate and its own, and one without a rate of its own not at
 * all.
 */
export function countedUnits(order: OrderRow, payments: readonly DepositRow[]): bigint {
  return payments.reduce((sum, payment) => sum + counted(order, payment), 0n);
}

function counted({ expires_at, rate: agreed }: OrderRow, { units, paid_at, rate }: DepositRow): bigint {
  const whole = BigInt(units);
  if (paid_at <= expires_at + LATE_GRACE_MS) return whole;
  if (agreed === null) return 0n;
  const order = JSON.parse(agreed) as Rate;
  if (order.fixed) return whole;
  if (rate === null) return 0n;
  const payment = JSON.parse(rate) as Rate;
  // units × (coin now ÷ fiat now) ÷ (coin then ÷ fiat then), in whole numbers.
  const [coin, fiat] = [fraction(payment.coin.usd), fraction(payment.fiat.usd)];
  const [formerCoin, formerFiat] = [fraction(order.coin.usd), fraction(order.fiat.usd)];
  const above = whole * coin.digits * fiat.scale * formerFiat.digits * formerCoin.scale;
  const below = coin.scale * fiat.digits * formerFiat.scale * formerCoin.digits;
  const worse = above / below;
  return worse < whole ? worse : whole;
}
