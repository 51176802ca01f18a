import { owedUnits } from '../chain/index.ts';
import type { Deposit } from '../chain/index.ts';
import { mulDiv, pow10, present, readDecimal } from '../kernel/index.ts';
import type { Decimal, Millis } from '../kernel/index.ts';
import type { PriceEvidence, RateEvidence } from '../ledger/index.ts';
import { spreadFactor, WHOLE_BPS } from '../ledger/index.ts';
import type { Order } from './order.ts';

const priceOf = ({ symbol, usd }: PriceEvidence): Decimal => present(readDecimal(usd), `price of ${symbol}`);

/**
 * Converts an amount at the agreed rate or another one, whichever is worse for the merchant, to units of the coin at
 * the agreed rate; rounded down. A stablecoin whose price the merchant has fixed counts in full.
 */
export function unitsAtWorseRate(units: bigint, agreed: RateEvidence, other: RateEvidence): bigint {
  if (agreed.fixed) return units;
  const [coin, fiat] = [priceOf(agreed.coin), priceOf(agreed.fiat)];
  const [otherCoin, otherFiat] = [priceOf(other.coin), priceOf(other.fiat)];
  const numerator = units * otherCoin.digits * fiat.digits * spreadFactor(agreed);
  const denominator = coin.digits * otherFiat.digits * pow10(otherCoin.scale + fiat.scale) * spreadFactor(other);
  const counted = mulDiv(numerator, pow10(coin.scale + otherFiat.scale), denominator, 'down');
  return counted < units ? counted : units;
}

/** The worth of an amount of a coin at a rate with its spread, in minor units of the fiat currency; rounded down. */
export function worthOf(
  units: bigint,
  rate: RateEvidence,
  { decimals, fiatDecimals }: { readonly decimals: number; readonly fiatDecimals: number },
): bigint {
  const [coin, fiat] = [priceOf(rate.coin), priceOf(rate.fiat)];
  const numerator = units * coin.digits * pow10(fiat.scale) * WHOLE_BPS;
  const denominator = fiat.digits * pow10(decimals + coin.scale) * spreadFactor(rate);
  return mulDiv(numerator, pow10(fiatDecimals), denominator, 'down');
}

/** True for a payment that came when the order's rate no longer applied. */
export function isLate(
  { paidAt }: Pick<Deposit, 'paidAt'>,
  { expiresAt }: Pick<Order, 'expiresAt'>,
  graceMs: Millis,
): boolean {
  return paidAt > expiresAt + graceMs;
}

/** The units that a deposit in the order's own coin counts towards its price; 0 for a late one without a known rate. */
export function countedUnits(order: Order, deposit: Deposit, graceMs: Millis): bigint {
  const units = owedUnits(deposit);
  if (!isLate(deposit, order, graceMs)) return units;
  if (order.payment === null) return 0n;
  if (order.payment.rate.fixed) return units;
  return deposit.rate === null ? 0n : unitsAtWorseRate(units, order.payment.rate, deposit.rate);
}
