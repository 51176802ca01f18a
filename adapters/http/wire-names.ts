import type { FieldError } from '../../core/index.ts';

/** An API by the words that it has for things: the payment API has those of its specification. */
export type Vocabulary = 'payment' | 'till' | 'greenfield';

/** The words of the till for fields of core that requests have, with their names in core. */
const CORE_WORDS = {
  account: 'accountId',
  order: 'orderId',
  link: 'linkId',
  webhook: 'webhookId',
  pull_payment: 'pullPaymentId',
  price: 'vsPrice',
  currency: 'vsCurrency',
  coin: 'currency',
  invoice: 'lnInvoices',
  payouts: 'withdrawals',
  totp_for_payouts: 'totpForWithdrawals',
  verified_coins: 'verifiedCurrencies',
} as const;

/** The names of the APIs whose words or units differ from those of core. */
const OTHER_WORDS: Readonly<Record<Vocabulary, ReadonlyMap<string, string>>> = {
  payment: new Map([['expiresInMs', 'expires_in']]),
  till: new Map([
    ...Object.entries(CORE_WORDS).map(([word, name]) => [name, word] as const),
    // Names in errors and in the audit log, which no request has.
    ['expiresInMs', 'expires_in'],
    ['userId', 'account'],
    ['appId', 'app'],
    ['transferId', 'payout'],
    ['toAddr', 'to_address'],
    ['tx', 'tx_hash'],
    ['txid', 'tx_hash'],
    ['activeFrom', 'effective_at'],
    ['totpForWithdrawalsUntil', 'totp_for_payouts_until'],
    ['withdrawalsFrozen', 'payouts_frozen'],
  ]),
  greenfield: new Map([
    ['expiresInMs', 'checkout.expirationMinutes'],
    ['toleranceBps', 'checkout.paymentTolerance'],
    ['vsPrice', 'amount'],
    ['vsCurrency', 'currency'],
    ['reference', 'metadata.orderId'],
    ['events', 'authorizedEvents.specificEvents'],
  ]),
};

/** Fields whose members have names of the caller's choice: methods of nodes, headers. */
const OWN_NAMES: ReadonlySet<string> = new Set(['headers', 'units', 'methods']);

const CAMEL_CASE = /^[a-z]+[a-zA-Z\d]*$/;

/** The name in an API of a field of core: `vs_price` or `price` for `vsPrice`. */
export function wireName(name: string, words: Vocabulary): string {
  if (!CAMEL_CASE.test(name)) return name;
  const other = OTHER_WORDS[words].get(name);
  if (other !== undefined || words === 'greenfield') return other ?? name;
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The name in core of a field of the till: see {@link coreName}. */
export type CoreName<Name extends string> = Name extends keyof typeof CORE_WORDS
  ? (typeof CORE_WORDS)[Name]
  : CamelCase<Name>;

/** The name in core of a field of a request, in the words of the till: `vsPrice` for `price`. */
export function coreName(name: string): string {
  const words: Readonly<Record<string, string>> = CORE_WORDS;
  if (Object.hasOwn(words, name)) return words[name] as string;
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The path in an API of a field of core: `limits.requests_per_second` for `limits.requestsPerSecond`. */
function wirePath(path: string, words: Vocabulary): string {
  const segments = path.split('.');
  const own = segments.findIndex((segment) => OWN_NAMES.has(segment));
  const named = own < 0 ? segments.length : own + 1;
  return [...segments.slice(0, named).map((name) => wireName(name, words)), ...segments.slice(named)].join('.');
}

/** An error of core with the names that its fields have in the APIs, also where its message begins with one. */
export function wireFields(
  message: string,
  fields: readonly FieldError[],
  words: Vocabulary,
): { readonly message: string; readonly fields: readonly FieldError[] } {
  const first = fields[0]?.path ?? '';
  const begins = first !== '' && message.startsWith(`${first}: `);
  return {
    message: begins ? wirePath(first, words) + message.slice(first.length) : message,
    fields: fields.map((field) => ({ ...field, path: wirePath(field.path, words) })),
  };
}
