import type { Transfer } from './transfer.ts';

/** A transaction that pays, or may pay, a transfer of a restored backup. */
export interface FoundTransaction {
  /** The transaction's hash, or the payment hash on Lightning. */
  readonly txHash: string;
  /** The block that holds it; `null` for none, and on Lightning. */
  readonly height: number | null;
  /** The amount that the receiver gets; `null` when it was not read from the chain. */
  readonly obtainedUnits: bigint | null;
}

/**
 * The finding on a payment of a restored backup.
 *
 * `paid`: by exactly one transaction, with enough confirmations to book it. `open`: it may still be mined, or has too
 * few confirmations. `unpaid`: nothing shows that it was paid, or that it may still be. `unclear`: an operator must
 * decide.
 */
export interface PaymentFinding {
  readonly kind: 'paid' | 'open' | 'unpaid' | 'unclear';
  /** The finding in a sentence. */
  readonly reason: string;
  readonly transactions: readonly FoundTransaction[];
}

/** A payment of a restored backup, with its finding. */
export interface PaymentReport {
  readonly transfer: Transfer;
  readonly finding: PaymentFinding;
}
