import type { AuditRow } from '../manage/audit-row.ts';
import type { AccountId } from '../kernel/ids.ts';
import type { Page, PageRequest } from '../kernel/page.ts';

/** The audit log. */
export interface AuditStore {
  /** Newest first: of one account's records, or of all for `null`. */
  list(accountId: AccountId | null, page: PageRequest): Promise<Page<AuditRow>>;
}

/** Writes to the audit log in the transaction of the change that a row describes. Rows are never changed or deleted. */
export interface AuditWrites {
  add(row: AuditRow): Promise<void>;
}
