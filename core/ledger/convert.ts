import type { Asset, Decimal, Rounding } from '../kernel/index.ts';
import { mulDiv, pow10 } from '../kernel/index.ts';

/**
 * Converts an amount to units of another asset at these prices in US dollars, with a single division.
 *
 * @param units - of `from`
 */
export function convertUnits(
  units: bigint,
  from: Asset,
  fromUsd: Decimal,
  to: Asset,
  toUsd: Decimal,
  rounding: Rounding,
): bigint {
  const numerator = units * fromUsd.digits * pow10(toUsd.scale);
  const denominator = toUsd.digits * pow10(from.decimals + fromUsd.scale);
  return mulDiv(numerator, pow10(to.decimals), denominator, rounding);
}
