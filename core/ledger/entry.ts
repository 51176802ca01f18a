import type { AccountId, CurrencyCode, EntryId, Millis } from '../kernel/index.ts';

/**
 * The ledger's accounts. Credit is positive: what the till owes is above zero; what a chain holds for the till
 * (`custody`, `cold`, and `gas` at deposit addresses) is below zero. Every entry sums to zero for each currency.
 */
export type LedgerAccount =
  | `merchant:${AccountId}:${MerchantBalance}`
  | `custody:${string}`
  | `cold:${string}`
  | `gas:${string}`
  | `operator:${string}`
  | `unassigned:${string}`
  | 'fees:network'
  | 'clearing'
  | 'loss:reorganisation';

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

/** A journal entry. `reference` is unique, so that each event is booked once. */
export interface LedgerEntry {
  readonly id: EntryId;
  readonly at: Millis;
  readonly kind:
    | 'deposit-credited'
    | 'deposit-matured'
    | 'deposit-reversed'
    | 'deposit-assigned'
    | 'deposit-kept'
    | 'claims-set-aside'
    | 'claims-released'
    | 'transfer-reserved'
    | 'transfer-paid'
    | 'transfer-released'
    | 'transfer-failed'
    | 'float-found'
    | 'float-taken'
    | 'coin-written-off';
  readonly reference: string;
  readonly postings: readonly Posting[];
}

/** A cached balance. */
export interface LedgerBalance {
  readonly account: string;
  readonly currency: CurrencyCode;
  readonly units: bigint;
}
