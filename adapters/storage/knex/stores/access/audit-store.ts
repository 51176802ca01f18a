import { auditEntry, auditHash } from '../../../../../core/index.ts';
import type {
  AccountId,
  AuditHead,
  AuditId,
  AuditLink,
  AuditRow,
  AuditStore,
  NewestQuery,
} from '../../../../../core/index.ts';
import { CryptoDigest } from '../../../../crypto/crypto-digest.ts';
import type { Database } from '../../database.ts';
import { insertion, names, parts } from '../../rows/columns.ts';
import type { Column } from '../../rows/columns.ts';
import { AUDIT_COLUMNS, auditRowOf } from '../../rows/manage-row.ts';
import { integer, text } from '../../rows/values.ts';
import type { Row } from '../../dialects/dialect.ts';
import type { Session } from '../../session.ts';
import { newestSql } from '../newest-list.ts';

const ROWS_AT_ONCE = 200;
const digest = new CryptoDigest();

interface Chained extends AuditRow, AuditHead {}

const CHAINED_COLUMNS: readonly Column<Chained>[] = [
  { name: 'seq', kind: 'bigint', of: (a) => a.seq },
  ...AUDIT_COLUMNS,
  { name: 'hash', kind: 'text', of: (a) => a.hash },
];

const headOf = (row: Row): AuditHead => ({ seq: integer(row, 'seq'), hash: text(row, 'hash') });

/** Computed from the stored text, since two texts may mean the same changes. */
function linkOf(row: Row): AuditLink {
  const [head, audit] = [headOf(row), auditRowOf(row)];
  return { ...head, id: audit.id, at: audit.at, entry: auditEntry(head.seq, audit, text(row, 'changes')) };
}

/** The audit log, in `audit_trail`, and the end of its chain, in `audit_head`. */
export class SqlAuditStore implements AuditStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async list(accountId: AccountId | null, query: NewestQuery<AuditId>): Promise<readonly AuditRow[]> {
    const list = { table: this.#db.tables.audit, columns: names(AUDIT_COLUMNS), equal: { account_id: accountId } };
    const { sql, bindings } = newestSql(list, query);
    return (await this.#db.read(sql, bindings)).map(auditRowOf);
  }

  async head(): Promise<AuditHead> {
    const [row] = await this.#db.read(`SELECT seq, hash FROM ${this.#db.tables.auditHead} WHERE id = 1`);
    return headOf(row as Row);
  }

  async links(after: number, limit: number): Promise<readonly AuditLink[]> {
    const rows = await this.#db.read(
      `SELECT ${names(CHAINED_COLUMNS)} FROM ${this.#db.tables.audit} WHERE seq > ? ORDER BY seq LIMIT ?`,
      [after, limit],
    );
    return rows.map(linkOf);
  }
}

/** Audit log writes of one transaction. */
export class SqlAuditWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Appends the rows to the chain. From here to the commit no other instance can append. */
  async add(added: readonly AuditRow[]): Promise<void> {
    if (added.length === 0) return;
    const { run, tables, dialect } = this.#session;
    const [locked] = await run(`SELECT seq, hash FROM ${tables.auditHead} WHERE id = 1 ${dialect.forUpdate}`);
    const rows: Chained[] = [];
    let head = headOf(locked as Row);
    for (const row of added) {
      const seq = head.seq + 1;
      head = { seq, hash: auditHash(digest, head.hash, auditEntry(seq, row, JSON.stringify(row.changes))) };
      rows.push({ ...row, ...head });
    }
    for (const some of parts(rows, ROWS_AT_ONCE)) {
      const { sql, bindings } = insertion(tables.audit, CHAINED_COLUMNS, some);
      await run(sql, bindings);
    }
    await run(`UPDATE ${tables.auditHead} SET seq = ?, hash = ? WHERE id = 1`, [head.seq, head.hash]);
  }
}
