import { invalidField, toUnits } from '../kernel/index.ts';
import type { Decimal, Fiat } from '../kernel/index.ts';

/** A price in minor units of its fiat currency. @throws TillgateError `INVALID_FIELDS` for 0 and for too many decimals */
export function priceUnits(path: string, price: Decimal, fiat: Fiat): bigint {
  const units = toUnits(price, fiat.decimals);
  if (units === null) throw invalidField(path, `must have at most ${fiat.decimals} decimals for ${fiat.code}`);
  if (units === 0n) throw invalidField(path, 'must be more than 0');
  return units;
}
