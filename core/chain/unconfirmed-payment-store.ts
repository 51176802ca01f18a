import type { UnconfirmedPayment, UnconfirmedPaymentStatus } from './unconfirmed-payment.ts';
import type { ChainCode, Millis, OrderId } from '../kernel/index.ts';

/** Reads of unconfirmed payments. */
export interface UnconfirmedPaymentStore {
  /** All unconfirmed payments of a chain, including GONE ones; there are few at any time. */
  ofChain(chain: ChainCode): Promise<readonly UnconfirmedPayment[]>;
  /** The payments of these orders that are not GONE, in the order they were first seen. */
  live(orderIds: readonly OrderId[]): Promise<readonly UnconfirmedPayment[]>;
}

/** Identifies the transfer of an unconfirmed payment. */
export type UnconfirmedPaymentKey = Pick<UnconfirmedPayment, 'chain' | 'txid' | 'index'>;

/** Writes of unconfirmed payments inside a transaction. */
export interface UnconfirmedPaymentWrites {
  /** Adds an unconfirmed payment; false when one with this (chain, txid, index) exists. */
  add(unconfirmed: UnconfirmedPayment): Promise<boolean>;
  /** Removes and returns an unconfirmed payment because it was mined; `null` for one that was never seen. */
  take(transfer: UnconfirmedPaymentKey): Promise<UnconfirmedPayment | null>;
  /** Compare-and-set of the status; false when the unconfirmed payment is no longer in `from`. */
  move(
    transfer: UnconfirmedPaymentKey,
    from: UnconfirmedPaymentStatus,
    to: UnconfirmedPaymentStatus,
    at: Millis,
  ): Promise<boolean>;
  /** The payments of an order that are not GONE, in this transaction's view. */
  live(orderId: OrderId): Promise<readonly UnconfirmedPayment[]>;
  /** Deletes payments that became GONE before a time. */
  forget(chain: ChainCode, before: Millis): Promise<void>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly unconfirmedPayments: UnconfirmedPaymentStore;
  }
  interface Transaction {
    readonly unconfirmedPayments: UnconfirmedPaymentWrites;
  }
}
