import { formatUnits, mulDiv, pow10, present, readDecimal } from '../kernel/index.ts';
import type { Decimal } from '../kernel/index.ts';
import type { RateEvidence } from './evidence.ts';
import { spreadFactor, WHOLE_BPS } from './quote.ts';

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
