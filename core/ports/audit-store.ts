import type { AuditHead, AuditLink } from '../manage/audit-chain.ts';
import type { AuditRow } from '../manage/audit-row.ts';
import type { AccountId } from '../kernel/ids.ts';
import type { Page, PageRequest } from '../kernel/page.ts';

/** The audit log. */
export interface AuditStore {
  /** Newest first: of one account's records, or of all for `null`. */
  list(accountId: AccountId | null, page: PageRequest): Promise<Page<AuditRow>>;
  /** The last row of the chain, as the till has stored it apart from the rows. */
  head(): Promise<AuditHead>;
  /** The rows after one of the chain, in its order. */
  links(after: number, limit: number): Promise<readonly AuditLink[]>;
}

/**
 * Writes to the audit log in the transaction of the change that a row describes. Rows are never changed or deleted. Each gets a number
 * and a hash over itself and the row before, in one order for all instances; they are written last, so that transactions wait
 * for each other as briefly as possible.
 */
export interface AuditWrites {
  add(row: AuditRow): Promise<void>;
}
