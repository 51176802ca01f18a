import type { AccountId, Millis, OrderId, TransferId } from '../kernel/index.ts';
import type { LightningPayment, NewLightningPayment } from './lightning-payment.ts';
import type { NodeLife, NodeLifeStatus } from './node-life.ts';
import type { Transfer, TransferStatus } from './transfer.ts';

/** A PENDING order past its deadline, with its invoice. */
export interface DueInvoice {
  readonly orderId: OrderId;
  readonly accountId: AccountId;
  readonly paymentHash: string;
  readonly expiresAt: Millis;
}

/** A payment and its transfer. */
export interface UnfinishedPayment {
  readonly payment: LightningPayment;
  readonly transfer: Transfer;
}

/** An unfinished payment: its cost and the node's answers. */
export interface OpenPayment extends Pick<LightningPayment, 'givenAt' | 'refusedAt'> {
  readonly status: TransferStatus;
  /** The most that leaves the node. */
  readonly units: bigint;
  readonly createdAt: Millis;
}

/** Lightning reads. */
export interface LightningStore {
  /** The payment of a transfer; `null` when it has none. */
  paymentOf(id: TransferId): Promise<LightningPayment | null>;
  /** Payments whose transfers are REQUESTED, SIGNED or BROADCAST, after a transfer's id, oldest first. */
  unfinished(after: TransferId | null, limit: number): Promise<readonly UnfinishedPayment[]>;
  /** Every payment whose transfer is HELD, REQUESTED, SIGNED or BROADCAST. */
  open(): Promise<readonly OpenPayment[]>;
  /** The present life of the node's database. */
  life(): Promise<NodeLife>;
  /** Payments whose transfers are HELD and whose invoices have expired at `now`, oldest first. */
  heldExpired(now: Millis, limit: number): Promise<readonly UnfinishedPayment[]>;
  /** PENDING Lightning orders whose deadline is at or before `now`, after one of them, oldest deadline first. */
  dueInvoices(
    now: Millis,
    after: Pick<DueInvoice, 'expiresAt' | 'orderId'> | null,
    limit: number,
  ): Promise<readonly DueInvoice[]>;
}

/** Lightning writes inside a transaction. */
export interface LightningWrites {
  /** True when a transfer has or had this payment hash. */
  hasPayment(paymentHash: string): Promise<boolean>;
  /** Stores the payment of a transfer; false when another transfer has or had this payment hash. */
  addPayment(payment: NewLightningPayment): Promise<boolean>;
  /** Records that the payment of a just signed transfer is being sent to the node, replacing any earlier record. */
  begin(id: TransferId, now: Millis): Promise<void>;
  /**
   * Records that a signed payment is being sent to the node again. An earlier request without an answer ends the series
   * of refusals. False when the payment is to be cancelled.
   */
  give(id: TransferId, now: Millis): Promise<boolean>;
  /** Records that the node refused the payment. Returns the payment after that. */
  refuse(id: TransferId, now: Millis): Promise<LightningPayment>;
  /** Marks a payment to be cancelled; the first reason is kept. */
  cancel(id: TransferId, reason: string): Promise<void>;
  /** Locks the present life of the node until the transaction ends. */
  lockLife(): Promise<NodeLife>;
  beginLife(life: NodeLife): Promise<void>;
  decideLife(number: number, status: Exclude<NodeLifeStatus, 'pending'>): Promise<void>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly lightning: LightningStore;
  }
  interface Transaction {
    readonly lightning: LightningWrites;
  }
}
