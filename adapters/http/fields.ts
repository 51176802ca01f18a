import { isLosslessNumber } from 'lossless-json';
import {
  checkCallbackUrl,
  findFiat,
  isMerchantReference,
  isMetadata,
  MERCHANT_DATA,
  METADATA_RULE,
  readDecimal,
  REFERENCE_RULE,
  toUnits,
} from '../../core/index.ts';
import type { CallbackPlaces, Decimal, Metadata } from '../../core/index.ts';
import { z } from 'zod';

const MAX_CODE = 64;
/**
 * Text without control characters, as a JSON Schema pattern. No field of this API needs them, and PostgreSQL cannot
 * store NUL.
 */
const WITHOUT_CONTROL = '^[^\\u0000-\\u001F\\u007F-\\u009F]*$';
const CLEAN = new RegExp(WITHOUT_CONTROL);

/** The message "is required" for an absent value, otherwise what is expected. */
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
    .refine((value) => CLEAN.test(value), { error: 'must not hold control characters' })
    .meta({ pattern: WITHOUT_CONTROL, description });
}

/** A chain, currency or fiat code; the core checks whether it is supported. */
export const code = (description: string) => text(MAX_CODE, description);

/** A flag that is false when it is absent. */
export function flag(description: string) {
  return z
    .boolean({ error: expected('true or false') })
    .default(false)
    .meta({ description });
}

/** A number in a request: a JSON number, or a plain decimal in a string. Both are read exactly. */
export type AmountInput = number | string;

export interface Conversion<T> {
  /** Converts the value for the core, wrapped in an object; `null` when it is invalid. */
  readonly convert: (value: unknown) => { readonly value: T } | null;
  /** Describes a valid value, for the error message. */
  readonly what: string;
  readonly documented: Readonly<Record<string, unknown>>;
}

/** A converted field that may be absent; `Input` is the type that a client sends. */
export function convertedField<Input, T>({ convert, what, documented }: Conversion<T>) {
  return z
    .custom<Input>()
    .optional()
    .transform((value, context): T => {
      const result = convert(value);
      if (result !== null) return result.value;
      context.issues.push({ code: 'custom', input: value, message: expected(what)({ input: value }) });
      return z.NEVER;
    })
    .meta(documented);
}

/**
 * A converted field that is required. Zod regards it as optional, so that its absence gets the message of this file.
 */
function required<Input, T>(conversion: Conversion<T>) {
  return convertedField<Input, T>(conversion) as z.ZodType<T, Input>;
}

const valueOrNull = <T>(value: T | null): { readonly value: T } | null => (value === null ? null : { value });

/** The digits of a JSON number as it was sent, or of a plain decimal in a string. */
function numberText(value: unknown): string | null {
  if (isLosslessNumber(value)) return value.value;
  // Only JSON numbers may have an exponent.
  return typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? value : null;
}

const AMOUNT = 'a positive number with a point before its decimals, such as 12.50';
/** Refuses zero in both forms: by a minimum for numbers and a pattern for strings. */
const AMOUNT_FORMS = {
  type: ['number', 'string'],
  exclusiveMinimum: 0,
  pattern: '^(?:0*[1-9]\\d*(?:\\.\\d+)?|0+\\.0*[1-9]\\d*)$',
};

function positive(value: unknown): Decimal | null {
  const digits = numberText(value);
  const decimal = digits === null ? null : readDecimal(digits);
  return decimal === null || decimal.digits === 0n ? null : decimal;
}

/** A positive decimal, exact. */
export function price(description: string) {
  const documented = {
    ...AMOUNT_FORMS,
    description: `${description}. A JSON number or a plain decimal in a string; read exactly.`,
  };
  return required<AmountInput, Decimal>({ convert: (value) => valueOrNull(positive(value)), what: AMOUNT, documented });
}

const AMOUNT_TEXT = 'a string with a positive decimal, such as "12.50"';
const ofText = (value: unknown): Decimal | null => (typeof value === 'string' ? positive(value) : null);

/** A positive decimal as text, which no reader rounds. */
export function decimalText(description: string) {
  const documented = { type: 'string', pattern: AMOUNT_FORMS.pattern, description };
  return required<string, Decimal>({
    convert: (value) => valueOrNull(ofText(value)),
    what: AMOUNT_TEXT,
    documented,
  });
}

/** A positive decimal, or `null` when it is absent. */
export function optionalAmount(description: string) {
  const convert = (value: unknown) => (value === undefined ? { value: null } : valueOrNull(positive(value)));
  return convertedField<AmountInput, Decimal | null>({
    convert,
    what: AMOUNT,
    documented: { ...AMOUNT_FORMS, description },
  });
}

/** Text that may be absent. An empty text counts as absent, which is `null`. */
export function optionalText(max: number, description: string) {
  const convert = (value: unknown) => {
    if (value === undefined || value === '') return { value: null };
    return typeof value === 'string' && value.length <= max && CLEAN.test(value) ? { value } : null;
  };
  const what = `a string of at most ${max} characters without control characters`;
  return convertedField<string, string | null>({
    convert,
    what,
    documented: { type: 'string', maxLength: max, pattern: WITHOUT_CONTROL, description },
  });
}

/** The merchant's reference of an order. An empty text counts as absent, which is `null`. */
export function merchantReference() {
  const convert = (value: unknown) => {
    if (value === undefined || value === '') return { value: null };
    return typeof value === 'string' && isMerchantReference(value) ? { value } : null;
  };
  const description = `Your own reference for the order, unique in your account: ${REFERENCE_RULE}`;
  const documented = { type: 'string', maxLength: MERCHANT_DATA.referenceLength, description };
  return convertedField<string, string | null>({ convert, what: REFERENCE_RULE, documented });
}

/** Names and texts that a merchant stores with an order; empty when absent. */
export function metadata() {
  const convert = (value: unknown) => {
    if (value === undefined) return { value: {} };
    return isPlainObject(value) && isMetadata(value as Metadata) ? { value: value as Metadata } : null;
  };
  const documented = {
    type: 'object',
    additionalProperties: { type: 'string', maxLength: MERCHANT_DATA.valueLength },
    maxProperties: MERCHANT_DATA.pairs,
    description: `Your own key-value pairs, stored with the order: ${METADATA_RULE}`,
  };
  return convertedField<Metadata, Metadata>({ convert, what: METADATA_RULE, documented });
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** The digits of a one-time code, as text or as a JSON number, which has lost its leading zeros; `null` when absent. */
export function optionalCode(length: number, description: string) {
  const convert = (value: unknown) => {
    if (value === undefined || value === '') return { value: null };
    if (isLosslessNumber(value))
      return /^\d{1,16}$/.test(value.value) ? { value: value.value.padStart(length, '0') } : null;
    return typeof value === 'string' && /^[\x20-\x7e]{1,16}$/.test(value) ? { value } : null;
  };
  return convertedField<string, string | null>({
    convert,
    what: `${length} digits, in a string or as a number`,
    documented: { type: ['string', 'integer'], description },
  });
}

/** A whole number from `min` to `max` in a JSON body. */
export function count(min: number, max: number, description: string) {
  const convert = (value: unknown) => valueOrNull(within(isLosslessNumber(value) ? value.value : '', min, max));
  return required<number, number>({
    convert,
    what: `a whole number from ${min} to ${max}`,
    documented: { type: 'integer', minimum: min, maximum: max, description },
  });
}

/** A whole number in a JSON body that may be absent; the core checks its bounds. */
export function optionalCount(description: string) {
  const convert = (value: unknown) => {
    if (value === undefined) return { value };
    return valueOrNull(within(isLosslessNumber(value) ? value.value : '', 0, Number.MAX_SAFE_INTEGER));
  };
  const documented = { type: 'integer', minimum: 0, description };
  return convertedField<number, number | undefined>({ convert, what: 'a whole number', documented });
}

/** A whole number of at least 1 in a query, with a default. */
export function queryNumber(fallback: number, max: number, description: string) {
  const convert = (value: unknown) => {
    if (value === undefined) return { value: fallback };
    return typeof value === 'string' ? valueOrNull(within(value, 1, max)) : null;
  };
  const unbounded = max === Number.MAX_SAFE_INTEGER;
  const what = unbounded ? 'a whole number from 1 up' : `a whole number from 1 to ${max}`;
  const documented = {
    type: 'integer',
    minimum: 1,
    ...(unbounded ? {} : { maximum: max }),
    default: fallback,
    description,
  };
  return convertedField<number, number>({ convert, what, documented });
}

function within(digits: string, min: number, max: number): number | null {
  if (!/^(?:0|[1-9]\d{0,15})$/.test(digits)) return null;
  const value = Number(digits);
  return value >= min && value <= max ? value : null;
}

/** The paging parameters of a list. */
export function pageQuery(pageMax: number) {
  return z.object({
    page: queryNumber(1, Number.MAX_SAFE_INTEGER, 'Page number, starting at 1; a page after the last one is empty'),
    size: queryNumber(Math.min(10, pageMax), pageMax, 'Number of entries on a page'),
  });
}

const ANYWHERE: CallbackPlaces = { allowPrivateNetworks: true, hosts: null };

/**
 * A URL of the merchant: http or https, without credentials.
 *
 * @param places - restricts URLs that the till calls; URLs for browsers may have any host
 */
export function merchantUrl(description: string, places: CallbackPlaces = ANYWHERE) {
  return z
    .string({ error: expected('a string') })
    .superRefine((value, context) => {
      const problem = checkCallbackUrl(value, places);
      if (problem !== null) context.addIssue({ code: 'custom', message: problem });
    })
    .optional()
    .meta({ description, format: 'uri', maxLength: 2048 });
}

/**
 * Refuses a price with more decimals than its fiat currency has; the core refuses unknown currencies. It runs even when
 * other fields are invalid, so that all problems are reported together.
 */
export function fiatDecimals(priceField: string, codeField: string) {
  const check = (body: unknown): boolean => {
    if (typeof body !== 'object' || body === null) return true;
    const { [priceField]: price, [codeField]: code } = body as Readonly<Record<string, unknown>>;
    const fiat = typeof code === 'string' ? findFiat(code) : null;
    return fiat === null || !isDecimal(price) || toUnits(price, fiat.decimals) !== null;
  };
  const error = 'must not have more decimals than the fiat currency';
  return [check, { path: [priceField], error, when: (): boolean => true }] as [
    typeof check,
    { path: string[]; error: string; when: () => boolean },
  ];
}

function isDecimal(value: unknown): value is Decimal {
  return typeof value === 'object' && value !== null && 'digits' in value && 'scale' in value;
}
