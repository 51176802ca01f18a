import type { AccountId, OrderId, TransferId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { LightningPayment } from '../lightning/lightning-payment.ts';
import type { Transfer } from '../transfers/transfer.ts';

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

/** Lightning reads. */
export interface LightningStore {
  /** The payment of a transfer; `null` when it has none. */
  paymentOf(id: TransferId): Promise<LightningPayment | null>;
  /** Payments whose transfers are REQUESTED, SIGNED or BROADCAST, after a transfer's id, oldest first. */
  unfinished(after: TransferId | null, limit: number): Promise<readonly UnfinishedPayment[]>;
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
  /** Stores the payment of a transfer; false when another transfer has, or had, this payment hash. */
  addPayment(payment: LightningPayment): Promise<boolean>;
}
