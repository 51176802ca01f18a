/** The most digits that an amount has behind its point, in any coin. */
const SCALE = 30;

/** A decimal of the API as an integer of a common scale, so that amounts are compared and added exactly. */
export function unitsOf(decimal: string): bigint {
  const minus = decimal.startsWith('-');
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(SCALE, '0').slice(0, SCALE));
  return minus ? -units : units;
}

/** The decimal of {@link unitsOf}, with at most so many digits behind its point; what is beyond them is cut off. */
export function decimalFrom(units: bigint, digits: number = SCALE): string {
  const text = (units < 0n ? -units : units).toString().padStart(SCALE + 1, '0');
  const fraction = text.slice(-SCALE).slice(0, digits).replace(/0+$/, '');
  const decimal = text.slice(0, -SCALE) + (fraction === '' ? '' : `.${fraction}`);
  return units < 0n && /[1-9]/.test(decimal) ? `-${decimal}` : decimal;
}

/** The product of two decimals, cut off after so many digits behind the point. */
export function product(one: string, other: string, digits: number): string {
  return decimalFrom((unitsOf(one) * unitsOf(other)) / 10n ** BigInt(SCALE), digits);
}

/** Whether a decimal is not zero. */
export const isSome = (decimal: string): boolean => /[1-9]/.test(decimal);
