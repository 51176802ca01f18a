import { LIGHTNING_ASSET, assert } from '../../../../../core/index.ts';
import type {
  DueInvoice,
  LightningPayment,
  LightningStore,
  LightningWrites,
  Millis,
  NewLightningPayment,
  NodeLife,
  OpenPayment,
  TransferId,
  UnfinishedPayment,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Row } from '../../dialects/dialect.ts';
import { insertion, names } from '../../rows/columns.ts';
import { NEW_PAYMENT_COLUMNS, PAYMENT_COLUMNS, lightningPaymentOf } from '../../rows/lightning-row.ts';
import { TRANSFER_COLUMNS, transferOf } from '../../rows/transfer-row.ts';
import { integer, integerOrNull, text, units } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';

/** Lightning payments of transfers, and open invoices of orders. */
export class SqlLightningStore implements LightningStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async paymentOf(id: TransferId): Promise<LightningPayment | null> {
    const [row] = await this.#db.read(paymentOfTransfer(this.#db.tables), [id]);
    return row === undefined ? null : lightningPaymentOf(row);
  }

  async unfinished(after: TransferId | null, limit: number): Promise<readonly UnfinishedPayment[]> {
    const from = this.#payments;
    // Two queries, each with its own partial index of unfinished payments.
    const rows = await this.#db.read(
      `SELECT * FROM (${from} WHERE t.chain = ? AND t.status = 'REQUESTED' AND t.id > ?) AS waiting
       UNION ALL SELECT * FROM (${from} WHERE t.chain = ? AND t.status IN ('SIGNED', 'BROADCAST') AND t.id > ?) AS sent
       ORDER BY id LIMIT ?`,
      [LIGHTNING_ASSET.chain, after ?? '', LIGHTNING_ASSET.chain, after ?? '', limit],
    );
    return rows.map((row) => ({ payment: lightningPaymentOf(row), transfer: transferOf(row) }));
  }

  async open(): Promise<readonly OpenPayment[]> {
    const { transfers, lightningAttempts } = this.#db.tables;
    const rows = await this.#db.read(
      `SELECT t.status, t.units, t.created_at, a.given_at, a.refused_at
       FROM ${transfers} t LEFT JOIN ${lightningAttempts} a ON a.transfer_id = t.id
       WHERE t.chain = ? AND t.status IN ('HELD', 'REQUESTED', 'SIGNED', 'BROADCAST')`,
      [LIGHTNING_ASSET.chain],
    );
    return rows.map((row) => ({
      status: text(row, 'status') as OpenPayment['status'],
      units: units(row, 'units'),
      createdAt: integer(row, 'created_at'),
      givenAt: integerOrNull(row, 'given_at'),
      refusedAt: integerOrNull(row, 'refused_at'),
    }));
  }

  async life(): Promise<NodeLife> {
    const [row] = await this.#db.read(presentLife(this.#db.tables));
    return lifeOf(row);
  }

  async heldExpired(now: Millis, limit: number): Promise<readonly UnfinishedPayment[]> {
    const rows = await this.#db.read(
      `${this.#payments} WHERE t.status = 'HELD' AND t.chain = ? AND p.expires_at <= ? ORDER BY t.id LIMIT ?`,
      [LIGHTNING_ASSET.chain, now, limit],
    );
    return rows.map((row) => ({ payment: lightningPaymentOf(row), transfer: transferOf(row) }));
  }

  get #payments(): string {
    const { transfers, lightningPayments, lightningAttempts } = this.#db.tables;
    return `SELECT ${names(TRANSFER_COLUMNS, 't.')}, ${PAYMENT_COLUMNS} FROM ${transfers} t JOIN ${lightningPayments} p ON p.transfer_id = t.id
      LEFT JOIN ${lightningAttempts} a ON a.transfer_id = t.id`;
  }

  async dueInvoices(
    now: Millis,
    after: Pick<DueInvoice, 'expiresAt' | 'orderId'> | null,
    limit: number,
  ): Promise<readonly DueInvoice[]> {
    const { orders, addresses } = this.#db.tables;
    const rows = await this.#db.read(
      `SELECT o.id, o.account_id, o.expires_at, a.watch_key FROM ${orders} o JOIN ${addresses} a ON a.order_id = o.id AND a.chain = o.chain
       WHERE o.status = 'PENDING' AND o.chain = ? AND o.expires_at <= ? AND (o.expires_at, o.id) > (?, ?)
       ORDER BY o.expires_at, o.id LIMIT ?`,
      [LIGHTNING_ASSET.chain, now, after?.expiresAt ?? 0, after?.orderId ?? '', limit],
    );
    return rows.map((row) => ({
      orderId: text(row, 'id') as DueInvoice['orderId'],
      accountId: text(row, 'account_id') as DueInvoice['accountId'],
      paymentHash: text(row, 'watch_key'),
      expiresAt: integer(row, 'expires_at'),
    }));
  }
}

/** Lightning writes of one transaction. */
export class SqlLightningWrites implements LightningWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async hasPayment(paymentHash: string): Promise<boolean> {
    const { run, tables } = this.#session;
    const sql = `SELECT 1 AS known FROM ${tables.lightningPayments} WHERE payment_hash = ?`;
    return (await run(sql, [paymentHash])).length > 0;
  }

  async addPayment(payment: NewLightningPayment): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.lightningPayments, NEW_PAYMENT_COLUMNS, [payment]);
    // When two pay the same invoice, the later waits for the first and finds its row.
    return (await run(`${sql} ON CONFLICT (payment_hash) DO NOTHING RETURNING payment_hash`, bindings)).length > 0;
  }

  async begin(id: TransferId, now: Millis): Promise<void> {
    const { run, tables } = this.#session;
    await run(
      `INSERT INTO ${tables.lightningAttempts} (transfer_id, given_at, refusals) VALUES (?, ?, 0)
       ON CONFLICT (transfer_id) DO UPDATE SET given_at = excluded.given_at, refused_at = NULL, refusals = 0, refused_since = NULL,
         cancel_reason = NULL`,
      [id, now],
    );
  }

  async give(id: TransferId, now: Millis): Promise<boolean> {
    const { run, tables } = this.#session;
    const given = await run(
      `UPDATE ${tables.lightningAttempts} SET given_at = ?, refused_at = NULL,
         refusals = CASE WHEN refused_at IS NULL THEN 0 ELSE refusals END,
         refused_since = CASE WHEN refused_at IS NULL THEN NULL ELSE refused_since END
       WHERE transfer_id = ? AND cancel_reason IS NULL RETURNING transfer_id`,
      [now, id],
    );
    return given.length > 0;
  }

  async refuse(id: TransferId, now: Millis): Promise<LightningPayment> {
    const { run, tables } = this.#session;
    await run(
      `UPDATE ${tables.lightningAttempts} SET refused_at = ?, refusals = refusals + 1, refused_since = COALESCE(refused_since, ?)
       WHERE transfer_id = ? RETURNING transfer_id`,
      [now, now, id],
    );
    const [row] = await run(paymentOfTransfer(tables), [id]);
    assert(row !== undefined, `payment of transfer ${id}`);
    return lightningPaymentOf(row);
  }

  async cancel(id: TransferId, reason: string): Promise<void> {
    const { run, tables } = this.#session;
    await run(
      `UPDATE ${tables.lightningAttempts} SET cancel_reason = ? WHERE transfer_id = ? AND cancel_reason IS NULL RETURNING transfer_id`,
      [reason, id],
    );
  }

  async lockLife(): Promise<NodeLife> {
    const { run, tables, dialect } = this.#session;
    // The first row always exists, so locking it serialises all changes.
    await run(`SELECT number FROM ${tables.lightningLives} WHERE number = 1 ${dialect.forUpdate}`);
    const [row] = await run(presentLife(tables));
    return lifeOf(row);
  }

  async beginLife({ number, status, reason, startedAt }: NodeLife): Promise<void> {
    const { run, tables } = this.#session;
    await run(`INSERT INTO ${tables.lightningLives} (${LIFE_COLUMNS}) VALUES (?, ?, ?, ?)`, [
      number,
      status,
      reason,
      startedAt,
    ]);
  }

  async decideLife(number: number, status: Exclude<NodeLife['status'], 'pending'>): Promise<void> {
    const { run, tables } = this.#session;
    const decided = await run(`UPDATE ${tables.lightningLives} SET status = ? WHERE number = ? RETURNING number`, [
      status,
      number,
    ]);
    assert(decided.length === 1, `life ${number} of the Lightning node`);
  }
}

const paymentOfTransfer = ({ lightningPayments, lightningAttempts }: Tables): string =>
  `SELECT ${PAYMENT_COLUMNS} FROM ${lightningPayments} p LEFT JOIN ${lightningAttempts} a ON a.transfer_id = p.transfer_id WHERE p.transfer_id = ?`;

const LIFE_COLUMNS = 'number, status, reason, started_at';

const presentLife = ({ lightningLives }: Tables): string =>
  `SELECT ${LIFE_COLUMNS} FROM ${lightningLives} ORDER BY number DESC LIMIT 1`;

function lifeOf(row: Row | undefined): NodeLife {
  assert(row !== undefined, 'the database has no life of the Lightning node');
  return {
    number: integer(row, 'number'),
    status: text(row, 'status') as NodeLife['status'],
    reason: text(row, 'reason'),
    startedAt: integer(row, 'started_at'),
  };
}
