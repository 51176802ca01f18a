import { findFiat, formatUnits, invalidField, mulDiv, present, stateConflict, toUnits } from '../kernel/index.ts';
import type { Asset, Decimal, Fiat } from '../kernel/index.ts';
import { unitsAtRate } from '../ledger/index.ts';
import type { RateBook, RateEvidence } from '../ledger/index.ts';
import { unitsLeft } from '../orders/index.ts';
import type { Order, OrderPayment, OrderRefunds } from '../orders/index.ts';

/** The rate of an amount in fiat: that at which the order was priced, or the present one. */
export const REFUND_RATES = ['order', 'current'] as const;
export type RefundRate = (typeof REFUND_RATES)[number];

/** How much a refund takes of what is left of the received amount: by default all of it, else one of these. */
export interface RefundAmountInput {
  /** In the order's coin. */
  readonly amount?: Decimal | undefined;
  /** In the order's fiat currency. */
  readonly fiatAmount?: Decimal | undefined;
  /** The rate of `fiatAmount`; that of the order by default. */
  readonly rate?: RefundRate | undefined;
  /** Only what was received beyond the amount due. */
  readonly surplus?: boolean | undefined;
}

/** An amount in the order's fiat currency, with the rate by which it becomes units of the coin. */
interface PricedFiat {
  readonly amount: Decimal;
  readonly fiat: Fiat;
  /** `null` for the rate of the order itself. */
  readonly evidence: RateEvidence | null;
}

/** How much is asked for, with a rate where that takes one. */
export type AskedAmount =
  | { readonly kind: 'rest' }
  | { readonly kind: 'surplus' }
  | { readonly kind: 'coin'; readonly amount: Decimal }
  | { readonly kind: 'fiat'; readonly fiat: PricedFiat };

/** The partial refunds of an order that have not failed, at most; all that is left can be refunded after them. */
export const PARTIAL_REFUNDS = 50;

/**
 * Reads how much is asked for. The present rate is read from memory, after a source was asked where it is missing.
 *
 * @throws TillgateError `INVALID_FIELDS` for two amounts, a rate without an amount in fiat, or too many decimals of it;
 *   `NOT_READY` without a usable rate
 */
export async function askedAmount(
  order: Order,
  asset: Asset,
  { amount, fiatAmount, rate, surplus = false }: RefundAmountInput,
  rates: Pick<RateBook, 'payoutRate'>,
): Promise<AskedAmount> {
  const [, second] = [
    ...(amount === undefined ? [] : ['amount']),
    ...(fiatAmount === undefined ? [] : ['fiatAmount']),
    ...(surplus ? ['surplus'] : []),
  ];
  if (second !== undefined) throw invalidField(second, 'must be absent: a refund has one amount');
  if (rate !== undefined && fiatAmount === undefined)
    throw invalidField('rate', 'must be absent without an amount in the fiat currency');
  if (surplus) return { kind: 'surplus' };
  if (amount !== undefined) return { kind: 'coin', amount };
  if (fiatAmount === undefined) return { kind: 'rest' };
  const fiat = present(findFiat(order.vsCurrency), `fiat ${order.vsCurrency}`);
  if (rate !== 'current') return { kind: 'fiat', fiat: { amount: fiatAmount, fiat, evidence: null } };
  const evidence = await rates.payoutRate(asset, fiat, order.fixedEncryptPrice);
  return { kind: 'fiat', fiat: { amount: fiatAmount, fiat, evidence } };
}

/**
 * The units of a refund, more than 0 and at most what is left.
 *
 * @throws TillgateError `INVALID_FIELDS` naming the amount, with what is left; `STATE_CONFLICT` without a surplus
 */
export function refundUnits(order: Order, asset: Asset, asked: AskedAmount, refunds: OrderRefunds): bigint {
  const left = unitsLeft(order, refunds);
  const payment = present(order.payment, `payment of order ${order.id}`);
  switch (asked.kind) {
    case 'rest':
      return left;
    case 'surplus':
      if (left > payment.units) return left - payment.units;
      throw stateConflict('The order has no surplus: what is left of it is not more than the amount due.');
    case 'coin':
      return bounded('amount', toUnits(asked.amount, asset.decimals), asset.decimals, { left, asset });
    case 'fiat': {
      const { amount, fiat } = asked.fiat;
      const minor = toUnits(amount, fiat.decimals);
      const units = minor === null ? null : unitsOfFiat(minor, order, payment, asset, asked.fiat);
      return bounded('fiatAmount', units, fiat.decimals, { left, asset });
    }
  }
}

/** @param decimals - the most that the amount may have; `null` units are those of an amount with more */
function bounded(
  field: 'amount' | 'fiatAmount',
  units: bigint | null,
  decimals: number,
  { left, asset }: { readonly left: bigint; readonly asset: Asset },
): bigint {
  if (units !== null && units > 0n && units <= left) return units;
  const words = `${formatUnits(left, asset.decimals)} ${asset.currency}`;
  throw invalidField(
    field,
    `must have at most ${decimals} decimals and be worth more than 0 and at most the ${words} that are left to refund`,
  );
}

/**
 * Converts an amount in fiat to units of the coin, rounded down. At the order's rate it is that share of the amount due
 * which it is of the price, so that the price is the whole amount due.
 *
 * @param minor - in minor units of the fiat currency
 */
export function unitsOfFiat(
  minor: bigint,
  { vsPrice }: Order,
  { units: due }: OrderPayment,
  asset: Asset,
  { fiat, evidence }: PricedFiat,
): bigint {
  if (evidence === null) return mulDiv(due, minor, vsPrice, 'down');
  return unitsAtRate(minor, fiat, asset, evidence);
}

/** The rate by which an amount was converted, other than the order's own; `null` for none. */
export function rateOf(asked: AskedAmount): RateEvidence | null {
  return asked.kind === 'fiat' ? asked.fiat.evidence : null;
}

/** The facts of an amount that are kept with a partial refund. */
export function amountFacts(asked: AskedAmount): Readonly<Record<string, string>> {
  if (asked.kind !== 'fiat') return { asked: asked.kind };
  const { amount, fiat, evidence } = asked.fiat;
  const minor = present(toUnits(amount, fiat.decimals), 'minor units');
  return {
    asked: asked.kind,
    fiatAmount: formatUnits(minor, fiat.decimals),
    vsCurrency: fiat.code,
    rate: evidence === null ? 'order' : 'current',
  };
}
