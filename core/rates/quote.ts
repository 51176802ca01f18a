import type { Asset } from '../kernel/asset.ts';
import type { Decimal } from '../kernel/decimal.ts';
import { mulDiv, pow10, roundUnits } from '../kernel/decimal.ts';
import type { Fiat } from '../kernel/fiat.ts';

/** A quoted amount is exact as a JSON number: at most 8 decimals and 15 significant digits (decisions, section 2). */
const QUOTE_DECIMALS = 8;
const QUOTE_DIGITS = 15;

/**
 * Converts a fiat price to units of an asset: `price × fiatUsd ÷ coinUsd`. Divided once and rounded up, then rounded up again to
 * the digits that a quoted amount may have; rounding up twice, to a coarser step, equals rounding up once.
 *
 * @param price - in minor units of the fiat
 */
export function quoteUnits(asset: Asset, fiat: Fiat, price: bigint, fiatUsd: Decimal, coinUsd: Decimal): bigint {
  const numerator = price * fiatUsd.digits * pow10(coinUsd.scale);
  const denominator = coinUsd.digits * pow10(fiat.decimals + fiatUsd.scale);
  const units = mulDiv(numerator, pow10(asset.decimals), denominator, 'up');
  return roundUnits(units, asset.decimals, QUOTE_DECIMALS, QUOTE_DIGITS, 'up');
}
