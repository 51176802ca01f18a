import { formatUnits, mulDiv, pow10, readDecimal } from '../kernel/decimal.ts';
import type { Decimal } from '../kernel/decimal.ts';
import { present } from '../kernel/guard.ts';
import type { RateEvidence } from './evidence.ts';

/** Digits that tell two rates apart. */
const DIGITS = 6;
const MOST_DECIMALS = 18;

/**
 * The price of one coin in the order's fiat currency, a plain decimal for reading: with the fiat's decimals, and more where it
 * takes them to have six significant digits. Rounded down; amounts are computed from the evidence, never from this.
 */
export function coinPrice({ coin, fiat }: RateEvidence, fiatDecimals: number): string {
  const [above, below] = [decimalOf(coin.usd), decimalOf(fiat.usd)];
  const at = (decimals: number): bigint =>
    mulDiv(above.digits, pow10(decimals + below.scale), below.digits * pow10(above.scale), 'down');
  const wholeDigits = at(MOST_DECIMALS).toString().length - MOST_DECIMALS;
  const decimals = Math.min(MOST_DECIMALS, Math.max(fiatDecimals, DIGITS - wholeDigits));
  return formatUnits(at(decimals), decimals);
}

const decimalOf = (text: string): Decimal => present(readDecimal(text), `the rate ${text}`);
