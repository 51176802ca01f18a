import type { Deposit } from '../chain/index.ts';
import type { Order, OrderTransition, ShopOrder } from '../orders/index.ts';
import type { Claim, Transfer } from '../payouts/index.ts';

/** Something that happened to an order, as a shop follows it. */
export type OrderHappening =
  | { readonly kind: 'created' }
  | { readonly kind: 'payment-seen'; readonly deposit: Deposit }
  /** Its payments now reach the amount due, and wait for confirmations. */
  | { readonly kind: 'paid' }
  | { readonly kind: 'payment-credited'; readonly deposit: Deposit }
  | { readonly kind: 'moved'; readonly transition: OrderTransition };

/** An order after a transaction, with one thing that happened to it there. */
export interface OrderReport {
  readonly order: Omit<Order, 'number'>;
  readonly shop: ShopOrder | null;
  /** The deposits in its coin that no reorganisation has removed. */
  readonly deposits: readonly Deposit[];
  readonly happening: OrderHappening;
}

/** What happened to a claim: `changed` is a rejection, or a step of its payment. */
export type ClaimStep = 'requested' | 'approved' | 'changed';

/** A claim of a pull payment after a transaction, with one thing that happened to it there. */
export interface ClaimReport {
  readonly claim: Claim;
  /** The transfer that pays it; `null` until it is approved. */
  readonly transfer: Pick<Transfer, 'status'> | null;
  readonly step: ClaimStep;
}
