import type { TransactionRow } from '../transactions/transaction.ts';

/** Writes the data of events as JSON, in the form that the APIs have: one for all tills. */
export interface EventPresenter {
  /** A withdrawal or a refund: its row in the merchant's list of transactions. */
  transfer(row: Omit<TransactionRow, 'number'>): string;
}
