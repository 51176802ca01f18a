import { formatUnits, mulDiv, pow10, readDecimal, roundUnits } from '../../core/index.ts';
import type { Decimal } from '../../core/index.ts';

/** Significant digits of a quotient that is not exact, rounded up. */
const DIGITS = 18;

/** A number as its source wrote it, exact; `null` for anything that is not a plain or exponential non-negative number. */
export function readPrice(value: unknown): Decimal | null {
  return typeof value === 'string' ? readDecimal(value) : null;
}

/** The price as a plain decimal, every digit kept. */
export function priceText({ digits, scale }: Decimal): string {
  return formatUnits(digits, scale);
}

/**
 * `a ÷ b` as a plain decimal with 18 significant digits, rounded up as all quotes are; `null` when `b` is zero.
 */
export function quotient(a: Decimal, b: Decimal): string | null {
  if (b.digits === 0n) return null;
  const numerator = a.digits * pow10(b.scale);
  const denominator = b.digits * pow10(a.scale);
  const shift = Math.max(0, DIGITS + denominator.toString().length - numerator.toString().length);
  // Rounding up twice, to ever coarser steps, is rounding up once.
  const units = mulDiv(numerator, pow10(shift), denominator, 'up');
  return formatUnits(roundUnits(units, shift, shift, DIGITS, 'up'), shift);
}

/** The middle of two prices, exact. */
export function midpoint(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  const sum = a.digits * pow10(scale - a.scale) + b.digits * pow10(scale - b.scale);
  return { digits: sum * 5n, scale: scale + 1 };
}
