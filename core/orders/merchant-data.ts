import { invalidField } from '../kernel/index.ts';

/** Names and texts that a merchant keeps with an order. */
export type Metadata = Readonly<Record<string, string>>;

/** The limits of a merchant's data in an order. {@link Metadata} as JSON must fit into the URL of a callback. */
export const MERCHANT_DATA = {
  referenceLength: 100,
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
export function checkMerchantData({
  merchantReference = null,
  metadata = {},
}: {
  readonly merchantReference?: string | null | undefined;
  readonly metadata?: Metadata | undefined;
}): void {
  if (merchantReference !== null && !isMerchantReference(merchantReference))
    throw invalidField('merchantReference', `must be ${REFERENCE_RULE}`);
  if (!isMetadata(metadata)) throw invalidField('metadata', `must be ${METADATA_RULE}`);
}
