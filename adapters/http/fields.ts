import { isLosslessNumber } from 'lossless-json';
import { checkMerchantUrl, findFiat, parseUnits, readDecimal, toUnits } from '../../core/index.ts';
import type { Decimal } from '../../core/index.ts';
import { z } from 'zod';

const MAX_CODE = 64;
/** Control characters mean nothing in any field of this API, and PostgreSQL stores no NUL. */
const CONTROL = /\p{Cc}/u;

/** "is required" for what is absent, else what would be right. */
const expected =
  (what: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? 'is required' : `must be ${what}`;

/** Text of 1 to `max` characters without control characters. */
export function text(max: number, description: string) {
  return z
    .string({ error: expected('a string') })
    .min(1, { error: 'must not be empty' })
    .max(max, { error: `must have at most ${max} characters` })
    .refine((value) => !CONTROL.test(value), { error: 'must not hold control characters' })
    .meta({ description });
}

/** A chain, currency or fiat code; whether it is supported is the core's business. */
export const code = (description: string) => text(MAX_CODE, description);

/** A flag that is false when it is absent. */
export function flag(description: string) {
  return z
    .boolean({ error: expected('true or false') })
    .default(false)
    .meta({ description });
}

/** A value of the request brought to what the core takes, or refused with what it must be. */
function converted<T>(convert: (value: unknown) => T | null, what: string, documented: Record<string, unknown>) {
  // Optional to zod, so that an absent field comes here too and gets our words.
  return z
    .unknown()
    .optional()
    .transform((value, context): T => {
      const result = convert(value);
      if (result !== null) return result;
      context.issues.push({ code: 'custom', input: value, message: expected(what)({ input: value }) });
      return z.NEVER;
    })
    .meta(documented);
}

/** A number's text: a JSON number as it was sent, or a plain decimal in a string. */
function numberText(value: unknown): string | null {
  if (isLosslessNumber(value)) return value.value;
  // An exponent belongs to JSON's numbers only.
  return typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? value : null;
}

/** A positive decimal, exact (decisions, section 2). */
export function price(description: string) {
  const convert = (value: unknown): Decimal | null => {
    const digits = numberText(value);
    const decimal = digits === null ? null : readDecimal(digits);
    return decimal === null || decimal.digits === 0n ? null : decimal;
  };
  return converted(convert, 'a positive number, or a positive decimal in a string', {
    type: ['number', 'string'],
    description: `${description}; a JSON number or a plain decimal in a string, read exactly`,
  });
}

/** Positive decimal text, or `null` when it is absent. */
export function optionalAmount(description: string) {
  const convert = (value: unknown): { readonly text: string | null } | null => {
    if (value === undefined) return { text: null };
    const digits = numberText(value);
    return digits !== null && (readDecimal(digits)?.digits ?? 0n) > 0n ? { text: digits } : null;
  };
  return converted(convert, 'a positive number, or a positive decimal in a string', { type: ['number', 'string'], description });
}

/** Text that may be absent; an empty one counts as absent, `null`. */
export function optionalText(max: number, description: string) {
  const convert = (value: unknown): { readonly text: string | null } | null => {
    if (value === undefined || value === '') return { text: null };
    return typeof value === 'string' && value.length <= max && !CONTROL.test(value) ? { text: value } : null;
  };
  return converted(convert, `a string of at most ${max} characters without control characters`, { type: 'string', maxLength: max, description });
}

/** The digits of a one-time code, as text or as a JSON number, which cannot tell the zeros in front; `null` when it is absent. */
export function optionalCode(length: number, description: string) {
  const convert = (value: unknown): { readonly text: string | null } | null => {
    if (value === undefined || value === '') return { text: null };
    if (isLosslessNumber(value)) return /^\d{1,16}$/.test(value.value) ? { text: value.value.padStart(length, '0') } : null;
    return typeof value === 'string' && /^[\x20-\x7e]{1,16}$/.test(value) ? { text: value } : null;
  };
  return converted(convert, `${length} digits, in a string or as a number`, { type: ['string', 'integer'], description });
}

/** A whole number from `min` to `max` in a JSON body. */
export function count(min: number, max: number, description: string) {
  const convert = (value: unknown): number | null => within(isLosslessNumber(value) ? value.value : '', min, max);
  return converted(convert, `a whole number from ${min} to ${max}`, { type: 'integer', minimum: min, maximum: max, description });
}

/** A whole number in a query, with a default. */
function queryNumber(fallback: number, max: number, description: string) {
  const convert = (value: unknown): number | null => {
    if (value === undefined) return fallback;
    return typeof value === 'string' ? within(value, 1, max) : null;
  };
  const what = max === Number.MAX_SAFE_INTEGER ? 'a whole number from 1 up' : `a whole number from 1 to ${max}`;
  return converted(convert, what, {
    type: 'integer',
    minimum: 1,
    ...(max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max }),
    default: fallback,
    description,
  });
}

function within(digits: string, min: number, max: number): number | null {
  if (!/^(?:0|[1-9]\d{0,15})$/.test(digits)) return null;
  const value = Number(digits);
  return value >= min && value <= max ? value : null;
}

/** The query of a list (decisions, section 2). */
export function pageQuery(pageMax: number) {
  return z.object({
    page: queryNumber(1, Number.MAX_SAFE_INTEGER, 'Which page, from 1; one past the end is empty.'),
    size: queryNumber(Math.min(10, pageMax), pageMax, 'How many entries a page has.'),
  });
}

/**
 * A merchant's URL (decisions, section 7; faults 30 and 37): http or https, no credentials; with `allowPrivate` false
 * no literal private address either.
 */
export function merchantUrl(allowPrivate: boolean, description: string) {
  return z
    .string({ error: expected('a string') })
    .superRefine((value, context) => {
      const problem = checkMerchantUrl(value, allowPrivate);
      if (problem !== null) context.addIssue({ code: 'custom', message: problem });
    })
    .optional()
    .meta({ description, format: 'uri', maxLength: 2048 });
}

/**
 * The refinement that a price has no more decimals than its fiat; an unknown fiat is the core's to refuse. It looks at
 * whatever came, so that its complaint stands beside those of other fields.
 */
export function fiatDecimals(priceField: string, codeField: string) {
  const check = (body: unknown): boolean => {
    if (typeof body !== 'object' || body === null) return true;
    const { [priceField]: price, [codeField]: code } = body as Readonly<Record<string, unknown>>;
    const fiat = typeof code === 'string' ? findFiat(code) : null;
    return fiat === null || !isDecimal(price) || toUnits(price, fiat.decimals) !== null;
  };
  const error = 'must not have more decimals than the fiat currency';
  return [check, { path: [priceField], error, when: (): boolean => true }] as [typeof check, { path: string[]; error: string; when: () => boolean }];
}

function isDecimal(value: unknown): value is Decimal {
  return typeof value === 'object' && value !== null && 'digits' in value && 'scale' in value;
}

/** An amount of an asset in a request, in its units; `null` for more decimals than it has. */
export function unitsOf(amount: string, decimals: number): bigint | null {
  const plain = parseUnits(amount, decimals);
  if (plain !== null) return plain;
  const decimal = readDecimal(amount);
  return decimal === null ? null : toUnits(decimal, decimals);
}
