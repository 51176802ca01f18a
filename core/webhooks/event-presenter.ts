import type { Alert } from '../alerts/alert.ts';
import type { Deposit } from '../deposits/deposit.ts';
import type { SecurityNotice } from '../manage/security-notice.ts';
import type { TransactionRow } from '../transactions/transaction.ts';

/** Writes the data of events as JSON, in the form that the APIs have: one for all tills. */
export interface EventPresenter {
  /** A withdrawal or a refund: its row in the merchant's list of transactions. */
  transfer(row: Omit<TransactionRow, 'number'>): string;
  deposit(deposit: Deposit): string;
  /** A row of the audit log, which holds no secret. */
  security(notice: SecurityNotice): string;
  alert(alert: Alert): string;
}
