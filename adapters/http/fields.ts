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
/** Text without control characters, which mean nothing in any field of this API; PostgreSQL stores no NUL. As JSON Schema writes it. */
const WITHOUT_CONTROL = '^[^\\u0000-\\u001F\\u007F-\\u009F]*$';
const CLEAN = new RegExp(WITHOUT_CONTROL);

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
    .refine((value) => CLEAN.test(value), { error: 'must not hold control characters' })
    .meta({ pattern: WITHOUT_CONTROL, description });
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

/** A number of a request: a JSON number, or a plain decimal in a string, which is read digit by digit. */
export type AmountInput = number | string;

interface Conversion<T> {
  /** The value as the core takes it, in an object of its own; `null` when it is refused. */
  readonly convert: (value: unknown) => { readonly value: T } | null;
  /** What would be right. */
  readonly what: string;
  readonly documented: Readonly<Record<string, unknown>>;
}

/** A field that may be absent, converted; `Input` is what a client sends. */
function optional<Input, T>({ convert, what, documented }: Conversion<T>) {
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

/** A field that is required: optional to zod nevertheless, so that an absent one is refused in our words. */
function required<Input, T>(conversion: Conversion<T>) {
  return optional<Input, T>(conversion) as z.ZodType<T, Input>;
}

const valueOrNull = <T>(value: T | null): { readonly value: T } | null => (value === null ? null : { value });

/** A number's text: a JSON number as it was sent, or a plain decimal in a string. */
function numberText(value: unknown): string | null {
  if (isLosslessNumber(value)) return value.value;
  // An exponent belongs to JSON's numbers only.
  return typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? value : null;
}

const AMOUNT = 'a positive number, or a positive decimal in a string';
/** A bound for numbers, and a pattern for strings: zero is refused in both forms. */
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

/** A positive decimal, exact (decisions, section 2). */
export function price(description: string) {
  const documented = {
    ...AMOUNT_FORMS,
    description: `${description}; a JSON number or a plain decimal in a string, read exactly`,
  };
  return required<AmountInput, Decimal>({ convert: (value) => valueOrNull(positive(value)), what: AMOUNT, documented });
}

/** A positive decimal, or `null` when it is absent. */
export function optionalAmount(description: string) {
  const convert = (value: unknown) => (value === undefined ? { value: null } : valueOrNull(positive(value)));
  return optional<AmountInput, Decimal | null>({
    convert,
    what: AMOUNT,
    documented: { ...AMOUNT_FORMS, description },
  });
}

/** Text that may be absent; an empty one counts as absent, `null`. */
export function optionalText(max: number, description: string) {
  const convert = (value: unknown) => {
    if (value === undefined || value === '') return { value: null };
    return typeof value === 'string' && value.length <= max && CLEAN.test(value) ? { value } : null;
  };
  const what = `a string of at most ${max} characters without control characters`;
  return optional<string, string | null>({
    convert,
    what,
    documented: { type: 'string', maxLength: max, pattern: WITHOUT_CONTROL, description },
  });
}

/** The merchant's own name of an order; an empty one counts as absent, `null`. */
export function merchantReference() {
  const convert = (value: unknown) => {
    if (value === undefined || value === '') return { value: null };
    return typeof value === 'string' && isMerchantReference(value) ? { value } : null;
  };
  const description = `The merchant's own name of the order, unique for its account: ${REFERENCE_RULE}`;
  const documented = { type: 'string', maxLength: MERCHANT_DATA.referenceLength, description };
  return optional<string, string | null>({ convert, what: REFERENCE_RULE, documented });
}

/** What a merchant keeps with an order: names and texts; none when it is absent. */
export function metadata() {
  const convert = (value: unknown) => {
    if (value === undefined) return { value: {} };
    return isPlainObject(value) && isMetadata(value as Metadata) ? { value: value as Metadata } : null;
  };
  const documented = {
    type: 'object',
    additionalProperties: { type: 'string', maxLength: MERCHANT_DATA.valueLength },
    maxProperties: MERCHANT_DATA.pairs,
    description: `The merchant's own names and texts: ${METADATA_RULE}`,
  };
  return optional<Metadata, Metadata>({ convert, what: METADATA_RULE, documented });
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** The digits of a one-time code: text, or a JSON number, which has lost its leading zeros; `null` when it is absent. */
export function optionalCode(length: number, description: string) {
  const convert = (value: unknown) => {
    if (value === undefined || value === '') return { value: null };
    if (isLosslessNumber(value))
      return /^\d{1,16}$/.test(value.value) ? { value: value.value.padStart(length, '0') } : null;
    return typeof value === 'string' && /^[\x20-\x7e]{1,16}$/.test(value) ? { value } : null;
  };
  return optional<string, string | null>({
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

/** A whole number in a JSON body that may be absent; its bounds are the core's business. */
export function optionalCount(description: string) {
  const convert = (value: unknown) => {
    if (value === undefined) return { value };
    return valueOrNull(within(isLosslessNumber(value) ? value.value : '', 0, Number.MAX_SAFE_INTEGER));
  };
  const documented = { type: 'integer', minimum: 0, description };
  return optional<number, number | undefined>({ convert, what: 'a whole number', documented });
}

/** A whole number from 1 in a query, with a default. */
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
  return optional<number, number>({ convert, what, documented });
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

const ANYWHERE: CallbackPlaces = { allowPrivateNetworks: true, hosts: null };

/**
 * A merchant's URL (decisions, section 7; faults 30 and 37): http or https, no credentials.
 *
 * @param places - for URLs that the till calls; those that a browser follows may be anywhere
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
 * The refinement that a price has no more decimals than its fiat; an unknown fiat is the core's to refuse. It looks at
 * for any input, so that its problem is reported together with those of other fields.
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
