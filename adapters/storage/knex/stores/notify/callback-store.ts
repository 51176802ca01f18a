import { HANDLERS, present } from '../../../../../core/index.ts';
import type {
  Callback,
  CallbackAttempt,
  CallbackId,
  CallbackOutcomeChanges,
  CallbackSearch,
  CallbackStore,
  CallbackWrites,
  ClaimedCallback,
  Millis,
  OrderId,
  WebhookEvent,
  WebhookId,
} from '../../../../../core/index.ts';
import type { Binding } from '../../binding.ts';
import type { Database } from '../../database.ts';
import type { Run } from '../../dialects/dialect.ts';
import { ATTEMPT_COLUMNS, attemptOf, CALLBACK_COLUMNS, callbackOf } from '../../rows/callback-row.ts';
import { insertion, names, parts } from '../../rows/columns.ts';
import { integer, text } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';
import { callbackSearchSql } from './callback-search.ts';
import { isStorable } from '../common.ts';

const CALLBACKS = names(CALLBACK_COLUMNS);
const OF_HANDLERS = `c.endpoint_id = '${HANDLERS}'`;
const EARLIER = '(e.created_at < c.created_at OR (e.created_at = c.created_at AND e.id < c.id))';

/** Rows of one statement: SQLite binds 32,766 values at most. */
const ADDED_AT_ONCE = 500;
const ASKED_AT_ONCE = 2_000;

/** A name of a record among those that endpoints hear of. */
const recordOf = (endpointId: string | null, subjectId: string | null): string => `${endpointId} ${subjectId}`;

/** The outbox in `callbacks` and `callback_attempts`. */
export class SqlCallbackStore implements CallbackStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async find(id: CallbackId): Promise<Callback | null> {
    if (!isStorable(id)) return null;
    const [row] = await this.#db.read(`SELECT ${CALLBACKS} FROM ${this.#db.tables.callbacks} WHERE id = ?`, [id]);
    return row === undefined ? null : callbackOf(row);
  }

  async byOrder(orderId: OrderId): Promise<readonly Callback[]> {
    const sql = `SELECT ${CALLBACKS} FROM ${this.#db.tables.callbacks} WHERE order_id = ? ORDER BY created_at, id`;
    return (await this.#db.read(sql, [orderId])).map(callbackOf);
  }

  async list(search: CallbackSearch): Promise<readonly Callback[]> {
    const { sql, bindings } = callbackSearchSql(this.#db.tables, search);
    return (await this.#db.read(sql, bindings)).map(callbackOf);
  }

  async attempts(id: CallbackId): Promise<readonly CallbackAttempt[]> {
    const sql = `SELECT ${names(ATTEMPT_COLUMNS)} FROM ${this.#db.tables.attempts} WHERE callback_id = ? ORDER BY id`;
    return (await this.#db.read(sql, [id])).map(attemptOf);
  }

  claimDue(now: Millis, leaseMs: number, limit: number): Promise<readonly ClaimedCallback[]> {
    const { callbacks } = this.#db.tables;
    const sql = `(c.endpoint_id IS NULL OR NOT ${OF_HANDLERS})
      AND NOT EXISTS (
        SELECT 1 FROM ${callbacks} e WHERE e.order_id = c.order_id AND e.status = 'PENDING' AND ${EARLIER})
      AND NOT EXISTS (
        SELECT 1 FROM ${callbacks} e WHERE e.endpoint_id = c.endpoint_id AND e.subject_id = c.subject_id
          AND e.status = 'PENDING' AND e.attempts = 0 AND ${EARLIER})`;
    return this.#claim({ sql, bindings: [] }, now, leaseMs, limit);
  }

  claimHandled(
    types: readonly WebhookEvent[],
    now: Millis,
    leaseMs: number,
    limit: number,
  ): Promise<readonly ClaimedCallback[]> {
    const { tables, dialect } = this.#db;
    const sql = `${OF_HANDLERS} AND ${dialect.anyOf('c.event')}
      AND NOT EXISTS (
        SELECT 1 FROM ${tables.callbacks} e WHERE e.endpoint_id = c.endpoint_id AND e.subject_id = c.subject_id
          AND e.status = 'PENDING' AND ${dialect.anyOf('e.event')} AND ${EARLIER})`;
    return this.#claim({ sql, bindings: [dialect.list(types), dialect.list(types)] }, now, leaseMs, limit);
  }

  /** Claims due rows `c` that a condition selects. */
  async #claim(
    which: { readonly sql: string; readonly bindings: readonly Binding[] },
    now: Millis,
    leaseMs: number,
    limit: number,
  ): Promise<readonly ClaimedCallback[]> {
    const { tables, dialect } = this.#db;
    const rows = await this.#db.write(
      `WITH due AS (
         SELECT c.id FROM ${tables.callbacks} c
         WHERE c.status = 'PENDING' AND c.next_at <= ? AND c.claimed_until <= ${dialect.nowMs} AND ${which.sql}
         ORDER BY c.next_at, c.id LIMIT ? ${dialect.forUpdateSkipLocked})
       UPDATE ${tables.callbacks} SET claimed_until = ${dialect.nowMs} + ?, fence = fence + 1
       WHERE id IN (SELECT id FROM due) RETURNING ${CALLBACKS}, fence`,
      [now, ...which.bindings, limit, leaseMs],
    );
    const claimed = rows.map((row) => ({ callback: callbackOf(row), fence: integer(row, 'fence') }));
    return claimed.sort((a, b) => a.callback.nextAt - b.callback.nextAt || (a.callback.id < b.callback.id ? -1 : 1));
  }

  finish(
    { callback, fence }: ClaimedCallback,
    changes: CallbackOutcomeChanges,
    attempt: CallbackAttempt,
  ): Promise<boolean> {
    return this.#db.transaction(async ({ run, tables }) => {
      const { sql, bindings } = insertion(tables.attempts, ATTEMPT_COLUMNS, [attempt]);
      await run(sql, bindings);
      const kept = await run(
        `UPDATE ${tables.callbacks} SET status = ?, attempts = ?, next_at = ?, delivered_at = ?, claimed_until = 0
         WHERE id = ? AND fence = ? AND status = 'PENDING' RETURNING id`,
        [changes.status, changes.attempts, changes.nextAt, changes.deliveredAt, callback.id, fence],
      );
      return kept.length > 0;
    });
  }

  async replay(id: CallbackId, now: Millis): Promise<boolean> {
    if (!isStorable(id)) return false;
    return replayed(this.#db.write, this.#db.tables, id, now);
  }

  async dropBodies(before: Millis, limit: number): Promise<number> {
    const { tables, dialect } = this.#db;
    const rows = await this.#db.write(
      `UPDATE ${tables.callbacks} SET body = NULL WHERE id IN (
         SELECT id FROM ${tables.callbacks} WHERE status = 'DELIVERED' AND body IS NOT NULL AND delivered_at < ?
         ORDER BY delivered_at LIMIT ? ${dialect.forUpdateSkipLocked}) RETURNING id`,
      [before, limit],
    );
    return rows.length;
  }

  async nextDueAt(): Promise<Millis | null> {
    const [row] = await this.#db.read(
      `SELECT min(next_at) AS at FROM ${this.#db.tables.callbacks} WHERE status = 'PENDING'`,
    );
    return row === undefined || row['at'] === null ? null : integer(row, 'at');
  }
}

/** The fence grows, so that the holder of an old claim cannot complete the new one; the schedule restarts. */
async function replayed(run: Run, { callbacks, webhooks }: Tables, id: CallbackId, now: Millis): Promise<boolean> {
  const rows = await run(
    `UPDATE ${callbacks}
     SET status = 'PENDING', attempts = 0, next_at = ?, delivered_at = NULL, claimed_until = 0, fence = fence + 1,
       url = COALESCE((SELECT w.url FROM ${webhooks} w WHERE w.id = ${callbacks}.endpoint_id), url)
     WHERE id = ? AND status IN ('DEAD', 'DELIVERED') AND (method = 'GET' OR body IS NOT NULL) RETURNING id`,
    [now, id],
  );
  return rows.length > 0;
}

/**
 * Outbox writes of one transaction. A row is dated after the other rows of its order, or of its endpoint's record, which are
 * committed because the record is locked. They are sent in this order, and the clock of the instance that wrote an earlier
 * one may be ahead.
 */
export class SqlCallbackWrites implements CallbackWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async addAll(callbacks: readonly Callback[]): Promise<void> {
    const { run, tables } = this.#session;
    const after = await this.#lastOf(callbacks);
    const dated = callbacks.map((callback) => {
      const record = recordOf(callback.endpointId, callback.subjectId);
      const createdAt = Math.max(callback.createdAt, (after.get(record) ?? -1) + 1);
      after.set(record, createdAt);
      return { ...callback, createdAt };
    });
    for (const some of parts(dated, ADDED_AT_ONCE)) {
      const { sql, bindings } = insertion(tables.callbacks, CALLBACK_COLUMNS, some);
      await run(sql, bindings);
    }
  }

  /** When the last waiting event of each of these records was written, by endpoint and record. */
  async #lastOf(callbacks: readonly Callback[]): Promise<Map<string, Millis>> {
    const { run, tables, dialect } = this.#session;
    const last = new Map<string, Millis>();
    for (const endpointId of new Set(callbacks.map((callback) => callback.endpointId))) {
      const own = callbacks.filter((callback) => callback.endpointId === endpointId);
      const subjects = [...new Set(own.map(({ subjectId }) => present(subjectId, 'the record of an event')))];
      for (const some of parts(subjects, ASKED_AT_ONCE)) {
        const rows = await run(
          `SELECT subject_id, max(created_at) AS at FROM ${tables.callbacks}
           WHERE endpoint_id = ? AND ${dialect.anyOf('subject_id')} AND status = 'PENDING' GROUP BY subject_id`,
          [endpointId, dialect.list(some)],
        );
        for (const row of rows) last.set(recordOf(endpointId, text(row, 'subject_id')), integer(row, 'at'));
      }
    }
    return last;
  }

  async add(callback: Callback): Promise<boolean> {
    const { run, tables } = this.#session;
    const { orderId, endpointId } = callback;
    if (endpointId !== null) {
      await this.addAll([callback]);
      return true;
    }
    const [former] = await run(`SELECT max(created_at) AS at FROM ${tables.callbacks} WHERE order_id = ?`, [orderId]);
    const after = former === undefined || former['at'] === null ? 0 : integer(former, 'at') + 1;
    const { sql, bindings } = insertion(tables.callbacks, CALLBACK_COLUMNS, [
      { ...callback, createdAt: Math.max(callback.createdAt, after) },
    ]);
    return (await run(`${sql} ON CONFLICT (order_id, event) DO NOTHING RETURNING id`, bindings)).length > 0;
  }

  async replay(id: CallbackId, now: Millis): Promise<boolean> {
    const { run, tables } = this.#session;
    return isStorable(id) && replayed(run, tables, id, now);
  }

  async redirect(endpointId: WebhookId, url: string): Promise<void> {
    const { run, tables } = this.#session;
    await run(`UPDATE ${tables.callbacks} SET url = ? WHERE endpoint_id = ? AND status = 'PENDING'`, [url, endpointId]);
  }

  async giveUp(endpointId: WebhookId): Promise<void> {
    const { run, tables } = this.#session;
    await run(`UPDATE ${tables.callbacks} SET status = 'DEAD' WHERE endpoint_id = ? AND status = 'PENDING'`, [
      endpointId,
    ]);
  }

  async giveUpHandled(type: WebhookEvent, limit: number): Promise<number> {
    const { run, tables, dialect } = this.#session;
    const rows = await run(
      `WITH waiting AS (
         SELECT c.id FROM ${tables.callbacks} c WHERE c.status = 'PENDING' AND ${OF_HANDLERS} AND c.event = ?
         ORDER BY c.id LIMIT ? ${dialect.forUpdate})
       UPDATE ${tables.callbacks} SET status = 'DEAD' WHERE id IN (SELECT id FROM waiting) RETURNING id`,
      [type, limit],
    );
    return rows.length;
  }
}
