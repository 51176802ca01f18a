import type {
  AccountId,
  ClaimedNotice,
  HeldBack,
  Millis,
  Notice,
  NoticeAccount,
  NoticeChanges,
  NoticeId,
  NoticePreferences,
  NoticeQuery,
  NoticeStore,
  NoticeWrites,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Run } from '../../dialects/dialect.ts';
import { insertion, names } from '../../rows/columns.ts';
import { heldBackOf, NOTICE_COLUMNS, noticeAccountOf, noticeOf, recipientOf } from '../../rows/notice-row.ts';
import { integer, text } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';
import { deleteSome, isStorable } from '../common.ts';
import { newestSql } from '../newest-list.ts';

const NOTICES = names(NOTICE_COLUMNS);

async function accountOf(
  run: Run,
  { accounts, noticePreferences }: Tables,
  id: AccountId,
): Promise<NoticeAccount | null> {
  if (!isStorable(id)) return null;
  const [row] = await run(
    `SELECT a.id, a.role, a.email, a.name, p.withdrawals, p.summary FROM ${accounts} a
     LEFT JOIN ${noticePreferences} p ON p.account_id = a.id WHERE a.id = ?`,
    [id],
  );
  return row === undefined ? null : noticeAccountOf(row);
}

/** Notices in `notices`, and the number sent in each hour in `notice_hours`. */
export class SqlNoticeStore implements NoticeStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async find(id: NoticeId): Promise<Notice | null> {
    if (!isStorable(id)) return null;
    const [row] = await this.#db.read(`SELECT ${NOTICES} FROM ${this.#db.tables.notices} WHERE id = ?`, [id]);
    return row === undefined ? null : noticeOf(row);
  }

  async list({ status, ...query }: NoticeQuery): Promise<readonly Notice[]> {
    const list = { table: this.#db.tables.notices, columns: NOTICES, equal: { status } };
    const { sql, bindings } = newestSql(list, query);
    return (await this.#db.read(sql, bindings)).map(noticeOf);
  }

  account(id: AccountId): Promise<NoticeAccount | null> {
    return accountOf(this.#db.read, this.#db.tables, id);
  }

  async operators(): Promise<readonly string[]> {
    const sql = `SELECT email FROM ${this.#db.tables.accounts} WHERE role = 'admin' AND status = 'active' ORDER BY id`;
    return (await this.#db.read(sql)).map((row) => text(row, 'email'));
  }

  async summarised(after: AccountId | null, limit: number): Promise<readonly AccountId[]> {
    const { accounts, noticePreferences } = this.#db.tables;
    const rows = await this.#db.read(
      `SELECT p.account_id FROM ${noticePreferences} p JOIN ${accounts} a ON a.id = p.account_id
       WHERE p.summary AND a.status = 'active' AND p.account_id > ? ORDER BY p.account_id LIMIT ?`,
      [after ?? '', limit],
    );
    return rows.map((row) => text(row, 'account_id') as AccountId);
  }

  async claimDue(notifier: string, now: Millis, leaseMs: number, limit: number): Promise<readonly ClaimedNotice[]> {
    const { tables, dialect } = this.#db;
    const rows = await this.#db.write(
      `WITH due AS (
         SELECT id FROM ${tables.notices}
         WHERE notifier = ? AND status = 'PENDING' AND next_at <= ? AND claimed_until <= ${dialect.nowMs}
         ORDER BY next_at, id LIMIT ? ${dialect.forUpdateSkipLocked})
       UPDATE ${tables.notices} SET claimed_until = ${dialect.nowMs} + ?, fence = fence + 1
       WHERE id IN (SELECT id FROM due) RETURNING ${NOTICES}, fence`,
      [notifier, now, limit, leaseMs],
    );
    const claimed = rows.map((row) => ({ notice: noticeOf(row), fence: integer(row, 'fence') }));
    return claimed.sort((a, b) => a.notice.nextAt - b.notice.nextAt || (a.notice.id < b.notice.id ? -1 : 1));
  }

  admit({ notice, fence }: ClaimedNotice, hour: Millis, most: number): Promise<number | null> {
    const { notifier, accountId, type, id } = notice;
    const key = [hour, notifier, recipientOf(accountId), type];
    return this.#db.transaction(async ({ run, tables: { notices, noticeHours } }) => {
      const [counted] = await run(
        `INSERT INTO ${noticeHours} (hour, notifier, recipient, type, sent, held_back) VALUES (?, ?, ?, ?, 1, 0)
         ON CONFLICT (hour, notifier, recipient, type) DO UPDATE SET sent = ${noticeHours}.sent + 1
         WHERE ${noticeHours}.sent < ? RETURNING sent`,
        [...key, most],
      );
      if (counted !== undefined) return integer(counted, 'sent');
      const held = await run(
        `UPDATE ${notices} SET status = 'HELD_BACK', claimed_until = 0
         WHERE id = ? AND fence = ? AND status = 'PENDING' RETURNING id`,
        [id, fence],
      );
      if (held.length > 0) {
        const sql = `UPDATE ${noticeHours} SET held_back = held_back + 1
          WHERE hour = ? AND notifier = ? AND recipient = ? AND type = ?`;
        await run(sql, key);
      }
      return null;
    });
  }

  async finish({ notice, fence }: ClaimedNotice, changes: NoticeChanges): Promise<boolean> {
    const { status, attempts, nextAt, sentAt, lastError } = changes;
    const kept = await this.#db.write(
      `UPDATE ${this.#db.tables.notices} SET status = ?, attempts = ?, next_at = ?, sent_at = ?, last_error = ?, claimed_until = 0
       WHERE id = ? AND fence = ? AND status = 'PENDING' RETURNING id`,
      [status, attempts, nextAt, sentAt, lastError, notice.id, fence],
    );
    return kept.length > 0;
  }

  async giveUp(before: Millis, reason: string, limit: number): Promise<number> {
    const { notices } = this.#db.tables;
    const rows = await this.#db.write(
      `UPDATE ${notices} SET status = 'DEAD', last_error = ?, claimed_until = 0, fence = fence + 1
       WHERE status = 'PENDING' AND id IN
         (SELECT id FROM ${notices} WHERE status = 'PENDING' AND created_at < ? ORDER BY created_at LIMIT ?) RETURNING id`,
      [reason, before, limit],
    );
    return rows.length;
  }

  async prune(before: Millis, limit: number): Promise<number> {
    const { notices, noticeHours } = this.#db.tables;
    const old = "status <> 'PENDING' AND created_at < ?";
    const gone = await deleteSome(this.#db, notices, ['id'], old, [before], limit);
    const key = ['hour', 'notifier', 'recipient', 'type'];
    const hours = await deleteSome(this.#db, noticeHours, key, 'hour < ? AND held_back = 0', [before], limit);
    return Math.max(gone, hours);
  }
}

/** Notice writes of one transaction. */
export class SqlNoticeWrites implements NoticeWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  account(id: AccountId): Promise<NoticeAccount | null> {
    return accountOf(this.#session.run, this.#session.tables, id);
  }

  async add(notices: readonly Notice[]): Promise<readonly Notice[]> {
    if (notices.length === 0) return [];
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.notices, NOTICE_COLUMNS, notices);
    const rows = await run(`${sql} ON CONFLICT DO NOTHING RETURNING id`, bindings);
    const added = new Set(rows.map((row) => text(row, 'id')));
    return notices.filter(({ id }) => added.has(id));
  }

  async savePreferences({ accountId, withdrawals, summary }: NoticePreferences): Promise<void> {
    const { run, tables } = this.#session;
    await run(
      `INSERT INTO ${tables.noticePreferences} (account_id, withdrawals, summary) VALUES (?, ?, ?)
       ON CONFLICT (account_id) DO UPDATE SET withdrawals = excluded.withdrawals, summary = excluded.summary`,
      [accountId, withdrawals, summary],
    );
  }

  async takeHeldBack(before: Millis, limit: number): Promise<readonly HeldBack[]> {
    const { run, tables, dialect } = this.#session;
    const rows = await run(
      `SELECT hour, notifier, recipient, type, held_back FROM ${tables.noticeHours} WHERE hour < ? AND held_back > 0
       ORDER BY hour, notifier, recipient, type LIMIT ? ${dialect.forUpdateSkipLocked}`,
      [before, limit],
    );
    const taken = rows.map(heldBackOf);
    const sql = `UPDATE ${tables.noticeHours} SET held_back = 0 WHERE hour = ? AND notifier = ? AND recipient = ? AND type = ?`;
    for (const { hour, notifier, accountId, type } of taken)
      await run(sql, [hour, notifier, recipientOf(accountId), type]);
    return taken;
  }
}
