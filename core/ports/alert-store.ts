import type { Alert, AlertStatus } from '../alerts/alert.ts';
import type { AccountId, AlertId } from '../kernel/ids.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { Millis } from '../kernel/time.ts';

/** Alerts for operators. */
export interface AlertStore {
  find(id: AlertId): Promise<Alert | null>;
  /** Newest first; of one status, or all for `null`. */
  list(status: AlertStatus | null, page: PageRequest): Promise<Page<Alert>>;
}

/** Writes of alerts, inside a transaction. */
export interface AlertWrites {
  /**
   * Opens an alert; where one of its kind and subject is OPEN that one counts once more, with the new reason and time.
   *
   * @returns whether it was opened
   */
  raise(alert: Alert): Promise<boolean>;
  /** Compare-and-set from OPEN. */
  acknowledge(id: AlertId, by: AccountId | null, at: Millis): Promise<boolean>;
}
