import type {
  AccountId,
  BatchChanges,
  BatchProgress,
  BatchStatus,
  Millis,
  NewestQuery,
  PayoutBatch,
  PayoutBatchId,
  PayoutBatchRow,
  PayoutBatchStore,
  PayoutBatchWrites,
  RowTransfer,
  ShownBatchRow,
  TransferId,
  TransferStatus,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Dialect, Row, Run } from '../../dialects/dialect.ts';
import {
  BATCH,
  BATCH_COLUMNS,
  BATCH_ROW_COLUMNS,
  batchOf,
  batchRowOf,
  newBatchRowColumns,
} from '../../rows/batch-row.ts';
import { assignments, insertion, names, parts } from '../../rows/columns.ts';
import { changeOf } from '../../rows/stored-fields.ts';
import { flag, integer, text, textOrNull, units } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';
import { isStorable } from '../common.ts';
import { newestSql } from '../newest-list.ts';
import { listedAddress } from './payee-store.ts';

const BATCHES = names(BATCH_COLUMNS);
const ROWS = names(BATCH_ROW_COLUMNS);
/** The rows of one INSERT; SQLite has at most 32,766 bindings. */
const INSERTED = 1_000;
const WAITING = 'transfer_id IS NULL AND problem IS NULL';

/** Payout batches in `payout_batches`, and their rows. */
export class SqlPayoutBatchStore implements PayoutBatchStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async find(id: PayoutBatchId): Promise<PayoutBatch | null> {
    if (!isStorable(id)) return null;
    const [row] = await this.#db.read(`SELECT ${BATCHES} FROM ${this.#db.tables.batches} WHERE id = ?`, [id]);
    return row === undefined ? null : batchOf(row);
  }

  async list(
    status: BatchStatus | null,
    query: NewestQuery<PayoutBatchId>,
    accountId: AccountId | null,
  ): Promise<readonly PayoutBatch[]> {
    const list = { table: this.#db.tables.batches, columns: BATCHES, equal: { account_id: accountId, status } };
    const { sql, bindings } = newestSql(list, query);
    return (await this.#db.read(sql, bindings)).map(batchOf);
  }

  async rows(id: PayoutBatchId, afterLine: number, limit: number): Promise<readonly ShownBatchRow[]> {
    const { batchRows, transfers, transactions } = this.#db.tables;
    const rows = await this.#db.read(
      `SELECT ${names(BATCH_ROW_COLUMNS, 'r.')}, t.status AS transfer_status, t.fee_units AS transfer_fee,
         t.reason AS transfer_reason, x.tx_hash AS transfer_hash
       FROM ${batchRows} AS r LEFT JOIN ${transfers} AS t ON t.id = r.transfer_id LEFT JOIN ${transactions} AS x ON x.id = t.id
       WHERE r.batch_id = ? AND r.line > ? ORDER BY r.line LIMIT ?`,
      [id, afterLine, limit],
    );
    return rows.map((row) => ({ ...batchRowOf(row), transfer: rowTransferOf(row) }));
  }

  async progress(id: PayoutBatchId): Promise<BatchProgress> {
    const { batchRows, transfers } = this.#db.tables;
    const rows = await this.#db.read(
      `SELECT CASE WHEN r.problem IS NOT NULL THEN 'dropped' ELSE coalesce(t.status, 'waiting') END AS state, count(*) AS total
       FROM ${batchRows} AS r LEFT JOIN ${transfers} AS t ON t.id = r.transfer_id WHERE r.batch_id = ? GROUP BY 1`,
      [id],
    );
    const counts = new Map(rows.map((row) => [text(row, 'state'), integer(row, 'total')]));
    const of = (...states: readonly (TransferStatus | 'dropped' | 'waiting')[]): number =>
      states.reduce((sum, state) => sum + (counts.get(state) ?? 0), 0);
    return {
      waiting: of('waiting'),
      dropped: of('dropped'),
      held: of('HELD'),
      underway: of('REQUESTED', 'SIGNED', 'BROADCAST'),
      paid: of('CONFIRMED'),
      failed: of('FAILED'),
    };
  }

  async approved(after: PayoutBatchId | null, limit: number): Promise<readonly PayoutBatch[]> {
    const sql = `SELECT ${BATCHES} FROM ${this.#db.tables.batches} WHERE status = 'APPROVED' AND id > ? ORDER BY id LIMIT ?`;
    return (await this.#db.read(sql, [after ?? '', limit])).map(batchOf);
  }

  waitingRows(id: PayoutBatchId, limit: number): Promise<readonly PayoutBatchRow[]> {
    return waitingRows(this.#db.read, this.#db.tables, id, limit);
  }

  usedReferences(accountId: AccountId, references: readonly string[]): Promise<ReadonlySet<string>> {
    return usedReferences(this.#db.read, this.#db, accountId, references);
  }
}

/** Payout batch writes of one transaction. */
export class SqlPayoutBatchWrites implements PayoutBatchWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async add(batch: PayoutBatch, rows: readonly PayoutBatchRow[]): Promise<void> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.batches, BATCH_COLUMNS, [batch]);
    await run(sql, bindings);
    const columns = newBatchRowColumns(batch.accountId);
    for (const part of parts(rows, INSERTED)) {
      const inserted = insertion(tables.batchRows, columns, part);
      await run(inserted.sql, inserted.bindings);
    }
  }

  usedReferences(accountId: AccountId, references: readonly string[]): Promise<ReadonlySet<string>> {
    return usedReferences(this.#session.run, this.#session, accountId, references);
  }

  async isListed(id: PayoutBatchId): Promise<boolean> {
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT listed FROM ${tables.batches} WHERE id = ?`, [id]);
    return row !== undefined && flag(row, 'listed');
  }

  async draftsOf(accountId: AccountId): Promise<number> {
    const { run, tables } = this.#session;
    const sql = `SELECT count(*) AS total FROM ${tables.batches} WHERE account_id = ? AND status = 'DRAFT'`;
    const [row] = await run(sql, [accountId]);
    return row === undefined ? 0 : integer(row, 'total');
  }

  async lock(id: PayoutBatchId): Promise<PayoutBatch | null> {
    if (!isStorable(id)) return null;
    const { run, tables, dialect } = this.#session;
    const [row] = await run(`SELECT ${BATCHES} FROM ${tables.batches} WHERE id = ? ${dialect.forUpdate}`, [id]);
    return row === undefined ? null : batchOf(row);
  }

  async move(id: PayoutBatchId, from: BatchStatus, to: BatchStatus, changes: BatchChanges): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments([['status', to], ...changeOf(BATCH, changes)]);
    const where = 'WHERE id = ? AND status = ? RETURNING id';
    return (await run(`UPDATE ${tables.batches} SET ${sql} ${where}`, [...bindings, id, from])).length > 0;
  }

  async update(id: PayoutBatchId, status: BatchStatus, changes: BatchChanges): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments(changeOf(BATCH, changes));
    const where = 'WHERE id = ? AND status = ? RETURNING id';
    return (await run(`UPDATE ${tables.batches} SET ${sql} ${where}`, [...bindings, id, status])).length > 0;
  }

  waitingRows(id: PayoutBatchId, limit: number): Promise<readonly PayoutBatchRow[]> {
    return waitingRows(this.#session.run, this.#session.tables, id, limit);
  }

  assign(id: PayoutBatchId, line: number, transferId: TransferId): Promise<boolean> {
    return this.#changeWaiting(id, line, 'transfer_id = ?', transferId);
  }

  drop(id: PayoutBatchId, line: number, problem: string): Promise<boolean> {
    return this.#changeWaiting(id, line, 'problem = ?, held_reference = NULL', problem);
  }

  async #changeWaiting(id: PayoutBatchId, line: number, change: string, value: string): Promise<boolean> {
    const { run, tables } = this.#session;
    const sql = `UPDATE ${tables.batchRows} SET ${change} WHERE batch_id = ? AND line = ? AND ${WAITING} RETURNING line`;
    return (await run(sql, [value, id, line])).length > 0;
  }

  async dropWaiting(id: PayoutBatchId, problem: string): Promise<readonly PayoutBatchRow[]> {
    const { run, tables } = this.#session;
    const sql = `UPDATE ${tables.batchRows} SET problem = ?, held_reference = NULL WHERE batch_id = ? AND ${WAITING} RETURNING ${ROWS}`;
    return (await run(sql, [problem, id])).map(batchRowOf);
  }

  async removeRows(id: PayoutBatchId): Promise<void> {
    const { run, tables } = this.#session;
    await run(`DELETE FROM ${tables.batchRows} WHERE batch_id = ? AND transfer_id IS NULL`, [id]);
  }

  async hasLiveTransfers(id: PayoutBatchId): Promise<boolean> {
    const { run, tables } = this.#session;
    const sql = `SELECT 1 AS live FROM ${tables.transfers} WHERE batch_id = ? AND status NOT IN ('CONFIRMED', 'FAILED') LIMIT 1`;
    return (await run(sql, [id])).length > 0;
  }

  async unlistedRows({ id, accountId }: Pick<PayoutBatch, 'id' | 'accountId'>, now: Millis): Promise<number> {
    const { run, tables } = this.#session;
    const sql = `SELECT count(*) AS total FROM ${tables.batchRows} AS r
      WHERE r.batch_id = ? AND NOT ${listedAddress(tables, 'r.chain', 'r.to_address')}`;
    const [row] = await run(sql, [id, accountId, now, accountId, now]);
    return row === undefined ? 0 : integer(row, 'total');
  }
}

async function waitingRows(
  run: Run,
  { batchRows }: Tables,
  id: PayoutBatchId,
  limit: number,
): Promise<readonly PayoutBatchRow[]> {
  const sql = `SELECT ${ROWS} FROM ${batchRows} WHERE batch_id = ? AND ${WAITING} ORDER BY line LIMIT ?`;
  return (await run(sql, [id, limit])).map(batchRowOf);
}

async function usedReferences(
  run: Run,
  { tables, dialect }: { readonly tables: Tables; readonly dialect: Dialect },
  accountId: AccountId,
  references: readonly string[],
): Promise<ReadonlySet<string>> {
  const sql = `SELECT held_reference FROM ${tables.batchRows} WHERE account_id = ? AND ${dialect.anyOf('held_reference')}`;
  const rows = await run(sql, [accountId, dialect.list(references)]);
  return new Set(rows.map((row) => text(row, 'held_reference')));
}

function rowTransferOf(row: Row): RowTransfer | null {
  const status = textOrNull(row, 'transfer_status');
  if (status === null) return null;
  return {
    status: status as TransferStatus,
    feeUnits: units(row, 'transfer_fee'),
    reason: textOrNull(row, 'transfer_reason'),
    txHash: textOrNull(row, 'transfer_hash'),
  };
}
