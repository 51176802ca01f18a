import type { RateEvidence } from '../ledger/index.ts';
import type { Metadata } from '../orders/index.ts';
import { findFiat } from '../kernel/index.ts';
import type {
  AccountId,
  AssetCatalogue,
  ChainCode,
  ClaimId,
  CurrencyCode,
  Fiat,
  Millis,
  OrderId,
  PullPaymentId,
  TransferId,
} from '../kernel/index.ts';
import type { Transfer } from './transfer.ts';

/** The most pull payments of an account that still have an amount to claim. */
export const MAX_OPEN_PULL_PAYMENTS = 1_000;
/** The most claims of a pull payment, whatever became of them. */
export const MAX_CLAIMS = 200;
/** The longest name of a pull payment, in characters. */
export const MAX_PULL_PAYMENT_NAME = 100;

/**
 * An amount that an account has promised to whoever has the URL of its claim page. The payee claims it, in one part or
 * in several, to an address of its choice (core/decisions/pull-payments.md).
 */
export interface PullPayment {
  readonly id: PullPaymentId;
  readonly accountId: AccountId;
  /** The unguessable last part of the claim page's URL. */
  readonly token: string;
  /** The heading of the claim page. */
  readonly name: string;
  /** A coin of the till, or a fiat currency. */
  readonly currency: string;
  /** In units of the coin, or in minor units of the fiat currency. */
  readonly amount: bigint;
  /** The coins in which it can be claimed; `null` for all that can be paid. A promise in a coin has that coin alone. */
  readonly coins: readonly CurrencyCode[] | null;
  /** The time from which nothing can be claimed any more; `null` for never. */
  readonly expiresAt: Millis | null;
  /** True when a claim is paid after the delay of an address, without an approval of the account. */
  readonly autoApprove: boolean;
  readonly reference: string | null;
  readonly metadata: Metadata;
  /** The order that it refunds; `null` for none. */
  readonly orderId: OrderId | null;
  /** The account that made it in the management API; `null` for a program and for an operator at the command line. */
  readonly requestedBy: AccountId | null;
  /** The part of the amount that is claimed by claims that are neither rejected nor failed, in units of `currency`. */
  readonly claimed: bigint;
  /** The units of the coin that are set aside and not claimed; always 0 for a fiat currency. */
  readonly asideUnits: bigint;
  readonly archivedAt: Millis | null;
  /** When what was left was released after it had expired; `null` before. */
  readonly releasedAt: Millis | null;
  readonly createdAt: Millis;
}

/** The fields of a pull payment that change. */
export type PullPaymentChanges = Partial<Pick<PullPayment, 'claimed' | 'asideUnits' | 'archivedAt' | 'releasedAt'>>;

/** The states of a pull payment: `settled` when all of it is claimed and paid. */
export const PULL_PAYMENT_STATES = ['active', 'settled', 'expired', 'archived'] as const;
export type PullPaymentState = (typeof PULL_PAYMENT_STATES)[number];

export const CLAIM_STATUSES = ['AWAITING_APPROVAL', 'APPROVED', 'REJECTED'] as const;
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

/** Every transition of a claim, by event. What became of an approved one is the status of its transfer. */
export const CLAIM_TRANSITIONS = {
  approve: { from: ['AWAITING_APPROVAL'], to: 'APPROVED' },
  reject: { from: ['AWAITING_APPROVAL'], to: 'REJECTED' },
} as const satisfies Record<string, { from: readonly ClaimStatus[]; to: ClaimStatus }>;

/** What a payee asks to be paid of a pull payment. */
export interface Claim {
  readonly id: ClaimId;
  readonly pullPaymentId: PullPaymentId;
  readonly accountId: AccountId;
  /** Chosen by the payee; a repeated claim with the same key is the same claim. Unique for its pull payment. */
  readonly key: string;
  readonly chain: ChainCode;
  /** The coin in which it is paid. */
  readonly currency: CurrencyCode;
  readonly toAddress: string;
  /** In units of the pull payment's currency. */
  readonly amount: bigint;
  /** The units of the coin that leave the account's balance; the network's fee is taken from them. */
  readonly units: bigint;
  /** The prices by which a fiat amount was converted; `null` for a pull payment in a coin. */
  readonly rate: RateEvidence | null;
  readonly status: ClaimStatus;
  /** Why it was rejected; `null` otherwise. */
  readonly reason: string | null;
  /** The transfer that pays it; `null` until it is approved. */
  readonly transferId: TransferId | null;
  readonly createdAt: Millis;
  /** When it was approved or rejected; `null` before. */
  readonly decidedAt: Millis | null;
}

/** The fields of a claim that its decision changes. */
export type ClaimChanges = Pick<Claim, 'reason' | 'transferId' | 'decidedAt'>;

/** A claim with the transfer that pays it. */
export interface PaidClaim {
  readonly claim: Claim;
  readonly transfer: Transfer | null;
  /** The transaction that pays it, or the last one that was sent; `null` before there is one. */
  readonly txHash: string | null;
}

/**
 * What became of a claim: `waiting` while its payment is held, or its time has not come; `in_progress` from then until
 * the payment is final.
 */
export const CLAIM_STATES = ['awaiting_approval', 'waiting', 'in_progress', 'completed', 'failed', 'rejected'] as const;
export type ClaimState = (typeof CLAIM_STATES)[number];

export function claimState({ claim, transfer }: Pick<PaidClaim, 'claim' | 'transfer'>, now: Millis): ClaimState {
  if (claim.status === 'REJECTED') return 'rejected';
  if (transfer === null) return 'awaiting_approval';
  const { status } = transfer;
  if (status === 'CONFIRMED') return 'completed';
  if (status === 'FAILED') return 'failed';
  return status === 'HELD' || isDelayed(transfer, now) ? 'waiting' : 'in_progress';
}

/** True while a requested transfer waits for the time before which it is not signed. */
export function isDelayed({ status, notBefore = null }: Pick<Transfer, 'status' | 'notBefore'>, now: Millis): boolean {
  return status === 'REQUESTED' && notBefore !== null && notBefore > now;
}

/** True while something can still be claimed, as far as time and the account's decisions go. */
export function isOpen(
  { archivedAt, releasedAt, expiresAt }: Pick<PullPayment, 'archivedAt' | 'releasedAt' | 'expiresAt'>,
  now: Millis,
): boolean {
  return archivedAt === null && releasedAt === null && (expiresAt === null || now < expiresAt);
}

/** @param unfinished - whether a claim is neither paid, failed nor rejected */
export function pullPaymentState(pull: PullPayment, unfinished: boolean, now: Millis): PullPaymentState {
  if (pull.archivedAt !== null) return 'archived';
  if (pull.claimed === pull.amount && !unfinished) return 'settled';
  return isOpen(pull, now) ? 'active' : 'expired';
}

/** The part of the amount that nobody has claimed, in units of its currency. */
export function unclaimed({ amount, claimed }: Pick<PullPayment, 'amount' | 'claimed'>): bigint {
  return amount - claimed;
}

/** The currency of a pull payment. */
export interface PromisedCurrency {
  readonly code: string;
  readonly decimals: number;
  /** `null` for a coin. */
  readonly fiat: Fiat | null;
}

/** The currency with this code; a coin of the till comes first. `null` for an unknown code. */
export function promisedCurrency(assets: Pick<AssetCatalogue, 'find'>, code: string): PromisedCurrency | null {
  const asset = assets.find(code);
  if (asset !== null) return { code, decimals: asset.decimals, fiat: null };
  const fiat = findFiat(code);
  return fiat === null ? null : { code, decimals: fiat.decimals, fiat };
}
