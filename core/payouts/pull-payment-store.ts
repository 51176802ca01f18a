import type { AccountId, ClaimId, Millis, NewestQuery, OrderId, PullPaymentId, TransferId } from '../kernel/index.ts';
import type { PromisedRefund } from '../orders/index.ts';
import type { Claim, ClaimChanges, ClaimStatus, PaidClaim, PullPayment, PullPaymentChanges } from './pull-payment.ts';

/** The filter of a list of claims; `null` for any. */
export interface ClaimFilter {
  readonly pullPaymentId: PullPaymentId | null;
  readonly status: ClaimStatus | null;
}

/** Pull payments and their claims; every read is of the primary. */
export interface PullPaymentStore {
  find(id: PullPaymentId): Promise<PullPayment | null>;
  findByToken(token: string): Promise<PullPayment | null>;
  /** Pull payments of one account, or of all for `null`, newest first. */
  list(accountId: AccountId | null, query: NewestQuery<PullPaymentId>): Promise<readonly PullPayment[]>;
  /** Those of these that have a claim which is neither rejected, paid nor failed. */
  unfinished(ids: readonly PullPaymentId[]): Promise<ReadonlySet<PullPaymentId>>;
  findClaim(id: ClaimId): Promise<PaidClaim | null>;
  /** Claims of one account, or of all for `null`, newest first. */
  claims(accountId: AccountId | null, filter: ClaimFilter, query: NewestQuery<ClaimId>): Promise<readonly PaidClaim[]>;
  /** The claim with this key. */
  claimByKey(id: PullPaymentId, key: string): Promise<PaidClaim | null>;
  /** As {@link PullPaymentWrites.promisedRefunds}. */
  promisedRefunds(orderIds: readonly OrderId[]): Promise<readonly PromisedRefund[]>;
  /** Pull payments that have expired, of which nothing was released yet, the earliest first. */
  expired(now: Millis, limit: number): Promise<readonly PullPaymentId[]>;
}

/** Writes of pull payments and claims, inside a transaction. */
export interface PullPaymentWrites {
  /** The pull payment, locked until the transaction ends; its claims are changed only while it is locked. */
  lock(id: PullPaymentId): Promise<PullPayment | null>;
  /** Locks the pull payments whose claims these transfers pay, in the order of ids. */
  lockPaidBy(transferIds: readonly TransferId[]): Promise<void>;
  add(pull: PullPayment): Promise<void>;
  update(id: PullPaymentId, changes: PullPaymentChanges): Promise<void>;
  /** The number of an account's pull payments with an amount that can still be claimed, at most `most`. */
  countOpen(accountId: AccountId, most: number): Promise<number>;
  /**
   * What open pull payments promise to refund of these orders, and no transfer pays yet: what is unclaimed, and claims
   * that wait for approval.
   */
  promisedRefunds(orderIds: readonly OrderId[]): Promise<readonly PromisedRefund[]>;
  findClaim(id: ClaimId): Promise<Claim | null>;
  /** The claim with this key. */
  claimByKey(id: PullPaymentId, key: string): Promise<Claim | null>;
  countClaims(id: PullPaymentId): Promise<number>;
  /** The claims of a pull payment that wait for approval, oldest first. */
  awaiting(id: PullPaymentId): Promise<readonly Claim[]>;
  addClaim(claim: Claim): Promise<void>;
  /** Compare-and-set of the status; false when the claim does not wait for approval any more. */
  decideClaim(claim: Claim, to: Exclude<ClaimStatus, 'AWAITING_APPROVAL'>, changes: ClaimChanges): Promise<boolean>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly pullPayments: PullPaymentStore;
  }
  interface Transaction {
    readonly pullPayments: PullPaymentWrites;
  }
  interface RecordedEvents {
    /** Recorded by {@link PullPaymentWrites.addClaim}. */
    'claim.added': { readonly claim: Claim };
    /** Recorded by {@link PullPaymentWrites.decideClaim}, with the claim after it. */
    'claim.decided': { readonly claim: Claim };
  }
}
