import type { AccountId, AuditRow, AuditStore, AuditWrites, Page, PageRequest } from '../../../../core/index.ts';
import type { Database } from '../database.ts';
import { insertion, names } from '../rows/columns.ts';
import { AUDIT_COLUMNS, auditRowOf } from '../rows/manage-row.ts';
import type { Session } from '../session.ts';
import { listedPage } from './listed-page.ts';

/** The audit log, in `audit_trail`. */
export class KnexAuditStore implements AuditStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  list(accountId: AccountId | null, page: PageRequest): Promise<Page<AuditRow>> {
    const where = accountId === null ? null : { column: 'account_id', value: accountId };
    return listedPage(
      this.#db,
      { table: this.#db.tables.audit, columns: names(AUDIT_COLUMNS), where, of: auditRowOf },
      page,
    );
  }
}

/** Audit log writes of one transaction. */
export class KnexAuditWrites implements AuditWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async add(row: AuditRow): Promise<void> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.audit, AUDIT_COLUMNS, [row]);
    await run(sql, bindings);
  }
}
