import type { CurrencyCode } from '../kernel/index.ts';
import { formatUnits, TillgateError } from '../kernel/index.ts';
import type { BuiltPayment, BuiltTransaction } from './signer.ts';
import type { ChainSigning } from './chain-signing.ts';

/** A limit for one payment, or for one transaction's fee, and a limit for any 24 hours, in the smallest unit. */
export interface SigningLimit {
  readonly most: bigint;
  readonly perDay: bigint;
}

/** What a signer allows on a chain. Everything else is refused. */
export interface SigningPolicy {
  /** The limits of payments by currency; a currency without one is never paid. */
  readonly payments: ReadonlyMap<CurrencyCode, SigningLimit>;
  /** The limits of fees, in units of the native coin. */
  readonly fees: SigningLimit;
  /** The most transactions in any 24 hours. */
  readonly transactionsPerDay: number;
  /** Addresses of the operator, such as cold storage, whose amounts do not count as payments, like the till's own. */
  readonly sweepTo: ReadonlySet<string>;
  /** The only addresses that may be paid; `null` for any. */
  readonly destinations: ReadonlySet<string> | null;
}

/** The rule that forbids a transaction, as a machine-readable word. */
export type SigningRule =
  | 'chain'
  | 'coin-worth'
  | 'day-limit'
  | 'destination'
  | 'fee-day-limit'
  | 'fee-limit'
  | 'foreign-key'
  | 'intent'
  | 'own-address'
  | 'payment-limit'
  | 'sweep'
  | 'token'
  | 'transactions-limit';

export function refusedBy(rule: SigningRule, words: string): TillgateError {
  return new TillgateError('SIGNING_REFUSED', `The signer's policy refuses it (${rule}): ${words}`, { reason: rule });
}

/** The amounts that a transaction takes from the till: payments to others by currency, and its maximum fee. */
export interface Outflow {
  readonly payments: ReadonlyMap<CurrencyCode, bigint>;
  readonly feeUnits: bigint;
}

/** Whether a payment goes to a key of the till; checked against the seed, not against the intent. */
export type OwnAddressCheck = (payment: BuiltPayment) => Promise<boolean>;

/**
 * The outflow of a transaction, if every rule that does not need the journal allows it.
 *
 * @throws TillgateError `SIGNING_REFUSED` with the rule
 */
export async function outflowOf(
  chain: ChainSigning,
  policy: SigningPolicy,
  built: BuiltTransaction,
  isOwn: OwnAddressCheck,
): Promise<Outflow> {
  const fromDeposits = requireOwnKeys(chain, built);
  const payments = new Map<CurrencyCode, bigint>();
  for (const payment of built.payments) {
    const asset = assetOf(chain, payment.contract);
    if ((await isOwn(payment)) || policy.sweepTo.has(payment.to)) continue;
    if (fromDeposits && chain.model === 'account')
      throw refusedBy(
        'sweep',
        `a deposit address pays ${payment.to}, which is neither an address of the till nor in sweepTo.`,
      );
    if (policy.destinations !== null && !policy.destinations.has(payment.to))
      throw refusedBy('destination', `${payment.to} is not in destinations.`);
    requireAtMost('payment-limit', asset, payment.units, limitOf(policy, asset.currency).most);
    payments.set(asset.currency, (payments.get(asset.currency) ?? 0n) + payment.units);
  }
  requireAtMost('fee-limit', chain.coin, built.feeUnits, policy.fees.most);
  return { payments, feeUnits: built.feeUnits };
}

/**
 * Checks that the transaction fits into the limits with what was taken in the last 24 hours.
 *
 * @throws TillgateError `SIGNING_REFUSED` with the rule
 */
export function requireRoom(
  chain: ChainSigning,
  policy: SigningPolicy,
  more: Outflow,
  taken: Outflow & { readonly transactions: number },
): void {
  if (taken.transactions >= policy.transactionsPerDay)
    throw refusedBy('transactions-limit', `${taken.transactions} were signed in the last 24 hours.`);
  for (const [currency, units] of more.payments) {
    const day = (taken.payments.get(currency) ?? 0n) + units;
    requireAtMost('day-limit', assetNamed(chain, currency), day, limitOf(policy, currency).perDay);
  }
  requireAtMost('fee-day-limit', chain.coin, taken.feeUnits + more.feeUnits, policy.fees.perDay);
}

const KEY_PATH = /^(.+)\/0\/(\d+)$/;

/** The account and index of a key of the chain: the hot wallet's first, or any deposit address's. */
export function keyOf(
  { accounts }: ChainSigning,
  path: string,
): { readonly account: string; readonly index: number } | null {
  const [, account, digits] = KEY_PATH.exec(path) ?? [];
  const index = Number(digits);
  if (account === accounts.deposit) return { account, index };
  return account === accounts.hot && index === 0 ? { account, index } : null;
}

/** @returns whether a deposit address is among the payers */
function requireOwnKeys(chain: ChainSigning, { inputs }: BuiltTransaction): boolean {
  for (const { path } of inputs)
    if (keyOf(chain, path) === null) throw refusedBy('foreign-key', `${path} is not a key of ${chain.code}.`);
  return inputs.some(({ path }) => keyOf(chain, path)?.account === chain.accounts.deposit);
}

function assetOf({ coin, tokens, code }: ChainSigning, contract: string | null) {
  const asset = contract === null ? coin : tokens.get(contract);
  if (asset === undefined) throw refusedBy('token', `${contract} is not a token in the options of ${code}.`);
  return asset;
}

function assetNamed({ coin, tokens }: ChainSigning, currency: CurrencyCode) {
  return [...tokens.values()].find((asset) => asset.currency === currency) ?? coin;
}

function limitOf({ payments }: SigningPolicy, currency: CurrencyCode): SigningLimit {
  return payments.get(currency) ?? { most: 0n, perDay: 0n };
}

function requireAtMost(
  rule: SigningRule,
  { currency, decimals }: { readonly currency: CurrencyCode; readonly decimals: number },
  units: bigint,
  most: bigint,
): void {
  if (units <= most) return;
  const [amount, limit] = [formatUnits(units, decimals), formatUnits(most, decimals)];
  throw refusedBy(rule, `${amount} ${currency} is more than ${limit}.`);
}
