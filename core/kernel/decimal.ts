import { assert } from './guard.ts';

/** How a division is rounded to whole units. Every division states it. */
export type Rounding = 'up' | 'down';

const PLAIN = /^(\d+)(?:\.(\d+))?$/;
const JSON_NUMBER = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;
/** The most digits of any amount: 2^256 has 78. */
const MAX_DIGITS = 78;

const powers: bigint[] = [1n];

/** 10 to the n-th, `n` from 0 up. */
export function pow10(n: number): bigint {
  assert(Number.isInteger(n) && n >= 0 && n <= 1000, `power of ten ${n}`);
  for (let have = powers.length; have <= n; have++) powers.push((powers[have - 1] as bigint) * 10n);
  return powers[n] as bigint;
}

/** `a × b ÷ c` of non-negative numbers, rounded as given. */
export function mulDiv(a: bigint, b: bigint, c: bigint, rounding: Rounding): bigint {
  assert(a >= 0n && b >= 0n && c > 0n, 'mulDiv of a negative number or by zero');
  const product = a * b;
  return rounding === 'up' ? (product + c - 1n) / c : product / c;
}

/** A decimal number, exact: `digits × 10^-scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** True for a value that {@link readDecimal} returned. */
export function isDecimal(value: unknown): value is Decimal {
  const { digits, scale } = (value ?? {}) as Partial<Decimal>;
  return typeof digits === 'bigint' && digits >= 0n && Number.isInteger(scale) && (scale as number) >= 0;
}

/**
 * Parses a non-negative decimal exactly, without a conversion to a double; the exponent of a JSON number is accepted.
 * `null` when the text is no such number or has more than 78 digits.
 */
export function readDecimal(text: string): Decimal | null {
  const match = JSON_NUMBER.exec(text);
  if (match === null) return null;
  const whole = match[1] as string;
  const fraction = match[2] ?? '';
  const exponent = match[3] === undefined ? 0 : Number(match[3]);
  if (whole.length + fraction.length > MAX_DIGITS || Math.abs(exponent) > MAX_DIGITS) return null;
  return normalise({ digits: BigInt(whole + fraction), scale: fraction.length - exponent });
}

function normalise({ digits, scale }: Decimal): Decimal {
  if (digits === 0n) return { digits: 0n, scale: 0 };
  let d = digits;
  let s = scale;
  while (s > 0 && d % 10n === 0n) {
    d /= 10n;
    s -= 1;
  }
  return s < 0 ? { digits: d * pow10(-s), scale: 0 } : { digits: d, scale: s };
}

/** The decimal in units of `10^-decimals`, or `null` when it has more decimals than that. */
export function toUnits(value: Decimal, decimals: number): bigint | null {
  if (value.scale > decimals) return null;
  return value.digits * pow10(decimals - value.scale);
}

/**
 * Parses a plain decimal (no sign, no exponent) into units of `10^-decimals`.
 * `null` when it is not one, or has more decimals than the asset.
 */
export function parseUnits(text: string, decimals: number): bigint | null {
  if (!PLAIN.test(text)) return null;
  const value = readDecimal(text);
  return value === null ? null : toUnits(value, decimals);
}

/** Writes units of `10^-decimals` as a plain decimal without trailing zeros: `1500000n, 6` is `1.5`. */
export function formatUnits(units: bigint, decimals: number): string {
  if (units < 0n) return `-${formatUnits(-units, decimals)}`;
  const text = units.toString().padStart(decimals + 1, '0');
  if (decimals === 0) return text;
  const fraction = text.slice(-decimals).replace(/0+$/, '');
  const whole = text.slice(0, -decimals);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Rounds units to at most `decimals` decimals and `digits` significant digits, which a JSON number keeps exactly. */
export function roundUnits(
  units: bigint,
  assetDecimals: number,
  decimals: number,
  digits: number,
  rounding: Rounding,
): bigint {
  const drop = Math.max(assetDecimals - decimals, units.toString().length - digits, 0);
  const step = pow10(drop);
  const rounded = mulDiv(units, 1n, step, rounding) * step;
  // Rounding 999… up adds a digit, but then the result ends in zeros and needs no second pass.
  return rounded;
}

/** Negative, zero or positive as `a` is less than, equal to or more than `b`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const left = a.digits * pow10(scale - a.scale);
  const right = b.digits * pow10(scale - b.scale);
  return left === right ? 0 : left < right ? -1 : 1;
}
