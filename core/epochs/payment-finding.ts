import type { Transfer } from '../transfers/transfer.ts';

/** A transaction that pays, or may pay, a transfer of a restored backup. */
export interface FoundTransaction {
  /** The payment hash on Lightning. */
  readonly txHash: string;
  /** The block that holds it; `null` while none does, and on Lightning. */
  readonly height: number | null;
  /** What the receiver gets; `null` where the chain was not asked for it. */
  readonly obtainedUnits: bigint | null;
}

/**
 * What the chain says of a payment of a restored backup.
 *
 * `paid`: by the one transaction, as deep as one that is booked. `open`: it may still be mined, or is mined and not deep
 * enough. `unpaid`: nothing shows that it was paid, nor that it may still be. `unclear`: an operator has to look.
 */
export interface PaymentFinding {
  readonly kind: 'paid' | 'open' | 'unpaid' | 'unclear';
  /** What was found, in a sentence. */
  readonly reason: string;
  readonly transactions: readonly FoundTransaction[];
}

/** A payment of a restored backup, and what the chain says of it. */
export interface PaymentReport {
  readonly transfer: Transfer;
  readonly finding: PaymentFinding;
}
