import type { Alert, TestEventPresenter } from '../notify/index.ts';
import type { Deposit } from '../chain/index.ts';
import type { SecurityNotice } from '../access/index.ts';
import type { TransactionRow } from '../ledger/index.ts';
import type { OrderDetailView } from '../orders/index.ts';
import type { PaidClaim } from '../payouts/index.ts';
import type { Millis } from '../kernel/index.ts';

/** Formats the data of events as JSON, in the form of the APIs; the same for all tills. */
export interface EventPresenter extends TestEventPresenter {
  order(order: OrderDetailView): string;
  /** A withdrawal or a refund, as its row in the merchant's list of transactions. */
  transfer(row: Omit<TransactionRow, 'number'>): string;
  /** @param currency - the code of the pull payment's currency */
  claim(claim: PaidClaim, currency: string, now: Millis): string;
  deposit(deposit: Deposit): string;
  /** A row of the audit log, which contains no secret. */
  security(notice: SecurityNotice): string;
  alert(alert: Alert): string;
}
