import type { Asset, Decimal, Fiat, Rounding } from '../kernel/index.ts';
import { formatUnits, mulDiv, pow10, present, readDecimal, roundUnits } from '../kernel/index.ts';
import type { RateEvidence } from './evidence.ts';

/**
 * Converts an amount to units of another asset, or of or to minor units of a fiat currency, at these prices in US dollars, with a single division.
 *
 * @param units - of `from`
 */
export function convertUnits(
  units: bigint,
  from: Pick<Asset, 'decimals'>,
  fromUsd: Decimal,
  to: Pick<Asset, 'decimals'>,
  toUsd: Decimal,
  rounding: Rounding,
): bigint {
  const numerator = units * fromUsd.digits * pow10(toUsd.scale);
  const denominator = toUsd.digits * pow10(from.decimals + fromUsd.scale);
  return mulDiv(numerator, pow10(to.decimals), denominator, rounding);
}

/** A quoted amount is exact as a JSON number: at most 8 decimals and 15 significant digits. */
const QUOTE_DECIMALS = 8;
const QUOTE_DIGITS = 15;

/** The basis points in a whole. */
export const WHOLE_BPS = 10_000n;

/** The factor by which a spread multiplies an amount, in units of 1 / {@link WHOLE_BPS}. */
export function spreadFactor({ spreadBps = 0 }: Pick<RateEvidence, 'spreadBps'>): bigint {
  return WHOLE_BPS + BigInt(spreadBps);
}

/**
 * Converts a fiat price to units of an asset: `price × fiatUsd ÷ coinUsd`, plus the spread. It is divided once and rounded up,
 * then rounded up again to the digits of a quoted amount; rounding up twice, to a coarser step, equals rounding up once.
 *
 * @param price - in minor units of the fiat
 */
export function quoteUnits(
  asset: Asset,
  fiat: Fiat,
  price: bigint,
  fiatUsd: Decimal,
  coinUsd: Decimal,
  spreadBps = 0,
): bigint {
  const numerator = price * fiatUsd.digits * pow10(coinUsd.scale) * spreadFactor({ spreadBps });
  const denominator = coinUsd.digits * pow10(fiat.decimals + fiatUsd.scale) * WHOLE_BPS;
  const units = mulDiv(numerator, pow10(asset.decimals), denominator, 'up');
  return roundUnits(units, asset.decimals, QUOTE_DECIMALS, QUOTE_DIGITS, 'up');
}

/**
 * What an amount of a fiat currency is in an asset at these prices, rounded down, without a spread: what is paid out for it.
 *
 * @param amount - in minor units of the fiat
 */
export function unitsAtRate(amount: bigint, fiat: Fiat, asset: Asset, rate: RateEvidence): bigint {
  return convertUnits(amount, fiat, decimalOf(rate.fiat.usd), asset, decimalOf(rate.coin.usd), 'down');
}

/** The significant digits of a displayed rate. */
const DIGITS = 6;
const MOST_DECIMALS = 18;

/**
 * The price of one coin in the order's fiat currency, with the spread, a plain decimal for display, rounded down: with the
 * fiat's decimals, or more if it takes more for six significant digits. Amounts are computed from the evidence, never from
 * this.
 */
export function coinPrice(rate: RateEvidence, fiatDecimals: number): string {
  const [above, below] = [decimalOf(rate.coin.usd), decimalOf(rate.fiat.usd)];
  const at = (decimals: number): bigint =>
    mulDiv(
      above.digits * WHOLE_BPS,
      pow10(decimals + below.scale),
      below.digits * pow10(above.scale) * spreadFactor(rate),
      'down',
    );
  const wholeDigits = at(MOST_DECIMALS).toString().length - MOST_DECIMALS;
  const decimals = Math.min(MOST_DECIMALS, Math.max(fiatDecimals, DIGITS - wholeDigits));
  return formatUnits(at(decimals), decimals);
}

const decimalOf = (text: string): Decimal => present(readDecimal(text), `the rate ${text}`);
