import type { Asset, Decimal, Fiat } from '../kernel/index.ts';
import { mulDiv, pow10, roundUnits } from '../kernel/index.ts';
import type { RateEvidence } from './evidence.ts';

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
