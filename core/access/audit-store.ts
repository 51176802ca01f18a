import type { AuditHead, AuditLink } from './audit-chain.ts';
import type { AuditRow } from './audit-row.ts';
import type { AccountId, AuditId, NewestQuery } from '../kernel/index.ts';

/** The audit log. */
export interface AuditStore {
  /** Records of one account, or of all for `null`, newest first. */
  list(accountId: AccountId | null, query: NewestQuery<AuditId>): Promise<readonly AuditRow[]>;
  /** The last row of the hash chain, which is stored apart from the rows. */
  head(): Promise<AuditHead>;
  /** The rows of the hash chain after a number, in order. */
  links(after: number, limit: number): Promise<readonly AuditLink[]>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly audit: AuditStore;
  }
  interface RecordedEvents {
    /**
     * A change by a person, stored in the audit log in the transaction of the change. Rows are never changed or deleted.
     * Each row gets the next number and a hash over itself and the row before it, in one order for all instances. Rows
     * are written last in a transaction, which keeps the wait for each other short.
     */
    audit: { readonly row: AuditRow };
  }
}
