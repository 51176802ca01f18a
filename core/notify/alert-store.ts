import type { Alert, AlertStatus } from './alert.ts';
import type { AccountId, AlertId, Millis, NewestQuery } from '../kernel/index.ts';

/** Alerts for operators. */
export interface AlertStore {
  find(id: AlertId): Promise<Alert | null>;
  /** Alerts of one status, or of all for `null`, newest first. */
  list(status: AlertStatus | null, query: NewestQuery<AlertId>): Promise<readonly Alert[]>;
  /** The number of alerts with a status. */
  countOf(status: AlertStatus): Promise<number>;
}

/** Writes of alerts, inside a transaction. */
export interface AlertWrites {
  /**
   * Opens an alert. If an alert of the same kind and subject is OPEN, adds one to its count and updates its reason and
   * time.
   *
   * A new alert is recorded as `alert.raised`.
   *
   * @returns whether a new alert was opened
   */
  raise(alert: Alert): Promise<boolean>;
  /** Acknowledges an OPEN alert by compare-and-set; false when it is not OPEN. */
  acknowledge(id: AlertId, by: AccountId | null, at: Millis): Promise<boolean>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly alerts: AlertStore;
  }
  interface Transaction {
    readonly alerts: AlertWrites;
  }
  interface RecordedEvents {
    'alert.raised': { readonly alert: Alert };
  }
}
