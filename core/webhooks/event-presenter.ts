import type { Alert } from '../alerts/alert.ts';
import type { Deposit } from '../deposits/deposit.ts';
import type { SecurityNotice } from '../manage/security-notice.ts';
import type { TransactionRow } from '../transactions/transaction.ts';

/** Formats the data of events as JSON, in the form of the APIs; the same for all tills. */
export interface EventPresenter {
  /** A withdrawal or a refund, as its row in the merchant's list of transactions. */
  transfer(row: Omit<TransactionRow, 'number'>): string;
  deposit(deposit: Deposit): string;
  /** A row of the audit log, which contains no secret. */
  security(notice: SecurityNotice): string;
  alert(alert: Alert): string;
}
