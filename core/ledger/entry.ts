import type { AccountId, CurrencyCode, EntryId, Millis } from '../kernel/index.ts';

/**
 * The ledger's accounts. Credit is positive: what the till owes is above zero; what a chain holds for the till
 * (`custody`, `cold`, and `gas` at deposit addresses) is below zero. Every entry sums to zero for each currency.
 */
export type LedgerAccount =
  `merchant:${AccountId}:${MerchantBalance}` | `${(typeof CHAIN_ACCOUNTS)[number]}:${string}` | TillAccount;

/** The till's own accounts that exist once for each chain, whose code follows the name. */
export const CHAIN_ACCOUNTS = ['custody', 'cold', 'gas', 'operator', 'unassigned'] as const;
/** The till's own accounts that exist once. */
export const TILL_ACCOUNTS = ['fees:network', 'clearing', 'loss:reorganisation'] as const;
export type TillAccount = (typeof TILL_ACCOUNTS)[number];
/** The name of one of the till's own accounts, without the code of its chain. */
export type OwnLedgerAccount = (typeof CHAIN_ACCOUNTS)[number] | TillAccount;

/** The kinds of records that the reference of an entry begins with, before a colon. */
export const REFERENCE_SUBJECTS = [
  'deposit',
  'transfer',
  'pull-payment',
  'payout-batch',
  'claim',
  'coin',
  'operator',
] as const;
export type ReferenceSubject = (typeof REFERENCE_SUBJECTS)[number];

/**
 * A merchant's balances. `claims` is set aside for pull payments and payout batches, as long as no transfer pays it;
 * `reserved` for unfinished transfers.
 */
export const MERCHANT_BALANCES = ['available', 'pending', 'claims', 'reserved'] as const;
export type MerchantBalance = (typeof MERCHANT_BALANCES)[number];

export const merchantAccount = (accountId: AccountId, part: MerchantBalance): LedgerAccount =>
  `merchant:${accountId}:${part}`;
export const custodyAccount = (chain: string): LedgerAccount => `custody:${chain}`;
export const coldAccount = (chain: string): LedgerAccount => `cold:${chain}`;
/** Gas that was sent to deposit addresses for token sweeps and is not used yet. */
export const gasAccount = (chain: string): LedgerAccount => `gas:${chain}`;
/** The operator's own coins on a chain (the float). */
export const operatorAccount = (chain: string): LedgerAccount => `operator:${chain}`;
/** The debt of the till to payers of deposits that belong to no order. */
export const unassignedAccount = (chain: string): LedgerAccount => `unassigned:${chain}`;
export const FEES_ACCOUNT: LedgerAccount = 'fees:network';
export const LOSS_ACCOUNT: LedgerAccount = 'loss:reorganisation';

/** One line of an entry; `units` may be negative. */
export interface Posting {
  readonly account: LedgerAccount;
  readonly currency: CurrencyCode;
  readonly units: bigint;
}

/** What is booked. The dashboard has a text for each kind in every language. */
export const LEDGER_KINDS = [
  'deposit-credited',
  'deposit-matured',
  'deposit-reversed',
  'deposit-assigned',
  'deposit-kept',
  'claims-set-aside',
  'claims-released',
  'transfer-reserved',
  'transfer-paid',
  'transfer-released',
  'transfer-failed',
  'float-found',
  'float-taken',
  'coin-written-off',
] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/**
 * A journal entry. `reference` is unique, so that each event is booked once: one of {@link REFERENCE_SUBJECTS}, the id of
 * the record, and what happened to it, with colons between.
 */
export interface LedgerEntry {
  readonly id: EntryId;
  readonly at: Millis;
  readonly kind: LedgerKind;
  readonly reference: string;
  readonly postings: readonly Posting[];
}

/** A cached balance. */
export interface LedgerBalance {
  readonly account: string;
  readonly currency: CurrencyCode;
  readonly units: bigint;
}
