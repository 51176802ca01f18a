import type {
  AccountId,
  Alert,
  AlertId,
  AlertStatus,
  AlertStore,
  AlertWrites,
  Millis,
  NewestQuery,
  Recorder,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import { ALERT_COLUMNS, alertOf } from '../../rows/alert-row.ts';
import { insertion, names } from '../../rows/columns.ts';
import { text } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import { countOf, isStorable } from '../common.ts';
import { newestSql } from '../newest-list.ts';

const ALERTS = names(ALERT_COLUMNS);

/** Alerts in `alerts`. */
export class SqlAlertStore implements AlertStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async find(id: AlertId): Promise<Alert | null> {
    if (!isStorable(id)) return null;
    const [row] = await this.#db.read(`SELECT ${ALERTS} FROM ${this.#db.tables.alerts} WHERE id = ?`, [id]);
    return row === undefined ? null : alertOf(row);
  }

  async list(status: AlertStatus | null, query: NewestQuery<AlertId>): Promise<readonly Alert[]> {
    const { sql, bindings } = newestSql({ table: this.#db.tables.alerts, columns: ALERTS, equal: { status } }, query);
    return (await this.#db.read(sql, bindings)).map(alertOf);
  }

  countOf(status: AlertStatus): Promise<number> {
    return countOf(this.#db, this.#db.tables.alerts, { status });
  }
}

/** Alert writes of one transaction. */
export class SqlAlertWrites implements AlertWrites {
  readonly #session: Session;
  readonly #record: Recorder;

  constructor(session: Session, record: Recorder) {
    this.#session = session;
    this.#record = record;
  }

  async raise(alert: Alert): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.alerts, ALERT_COLUMNS, [alert]);
    const [row] = await run(
      `${sql} ON CONFLICT (kind, subject) WHERE status = 'OPEN' DO UPDATE
       SET reason = excluded.reason, last_at = excluded.last_at, raised = ${tables.alerts}.raised + 1 RETURNING id`,
      bindings,
    );
    const opened = row !== undefined && text(row, 'id') === alert.id;
    if (opened) this.#record({ type: 'alert.raised', alert });
    return opened;
  }

  async acknowledge(id: AlertId, by: AccountId | null, at: Millis): Promise<boolean> {
    const { run, tables } = this.#session;
    const sql = `UPDATE ${tables.alerts} SET status = 'ACKNOWLEDGED', acknowledged_at = ?, acknowledged_by = ?
      WHERE id = ? AND status = 'OPEN' RETURNING id`;
    return (await run(sql, [at, by, id])).length > 0;
  }
}
