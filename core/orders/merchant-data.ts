import { invalidField } from '../kernel/index.ts';

/** Names and texts that a merchant keeps with an order. */
export type Metadata = Readonly<Record<string, string>>;

/** Data of the merchant that is kept with an order, shown in its records, and not judged by the till. */
export interface MerchantData {
  /** The merchant's own reference of the order, unique for the account; `null` for none. */
  readonly merchantReference: string | null;
  readonly metadata: Metadata;
  /** A note of the person who creates the order by hand; empty for none. */
  readonly remark: string;
}

/** {@link MerchantData} as it is given; absent fields have their default. */
export type GivenMerchantData = { readonly [Key in keyof MerchantData]?: MerchantData[Key] | undefined };

/** Adds the defaults of absent fields. */
export function merchantDataOf({
  merchantReference = null,
  metadata = {},
  remark = '',
}: GivenMerchantData): MerchantData {
  return { merchantReference, metadata, remark };
}

/** The limits of a merchant's data in an order. {@link Metadata} as JSON must fit into the URL of a callback. */
export const MERCHANT_DATA = {
  referenceLength: 100,
  remarkLength: 200,
  pairs: 20,
  nameLength: 40,
  valueLength: 500,
  /** The metadata as JSON in UTF-8. */
  bytes: 2_048,
} as const;

/** Letters, marks, digits, punctuation and symbols of any script, with spaces between them. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+(?: +[\p{L}\p{M}\p{N}\p{P}\p{S}]+)*$/u;
const CONTROL = /\p{Cc}/u;

/** Whether a text can be an order's `merchantReference`. */
export function isMerchantReference(text: string): boolean {
  return text.length <= MERCHANT_DATA.referenceLength && PRINTABLE.test(text);
}

/** Whether a value can be an order's metadata; `__proto__` is refused as a name, because some JSON parsers lose it. */
export function isMetadata(value: Metadata): boolean {
  const { pairs, bytes } = MERCHANT_DATA;
  const entries = Object.entries<unknown>(value);
  return (
    entries.length <= pairs && entries.every(isPair) && new TextEncoder().encode(JSON.stringify(value)).length <= bytes
  );
}

function isPair([name, text]: readonly [string, unknown]): boolean {
  const { nameLength, valueLength } = MERCHANT_DATA;
  const named = name.length <= nameLength && name !== '__proto__' && PRINTABLE.test(name);
  return named && typeof text === 'string' && text.length <= valueLength && !CONTROL.test(text);
}

/** The rule of {@link isMerchantReference}, in words. */
export const REFERENCE_RULE = `a text of at most ${MERCHANT_DATA.referenceLength} printable characters without a space at its ends`;
/** The rule of {@link isMetadata}, in words. */
export const METADATA_RULE = `an object of at most ${MERCHANT_DATA.pairs} texts, names of 1 to ${MERCHANT_DATA.nameLength} printable characters, values of at most ${MERCHANT_DATA.valueLength} characters without control characters, as JSON at most ${MERCHANT_DATA.bytes} bytes`;

/** @throws TillgateError `INVALID_FIELDS` */
export function checkMerchantData(given: GivenMerchantData): void {
  const { merchantReference, metadata, remark } = merchantDataOf(given);
  if (remark.length > MERCHANT_DATA.remarkLength || CONTROL.test(remark))
    throw invalidField(
      'remark',
      `must be a text of at most ${MERCHANT_DATA.remarkLength} characters without control characters`,
    );
  if (merchantReference !== null && !isMerchantReference(merchantReference))
    throw invalidField('merchantReference', `must be ${REFERENCE_RULE}`);
  if (!isMetadata(metadata)) throw invalidField('metadata', `must be ${METADATA_RULE}`);
}
