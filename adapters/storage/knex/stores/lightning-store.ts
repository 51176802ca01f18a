import { LIGHTNING_ASSET } from '../../../../core/index.ts';
import type {
  DueInvoice,
  LightningPayment,
  LightningStore,
  LightningWrites,
  Millis,
  TransferId,
  UnfinishedPayment,
} from '../../../../core/index.ts';
import type { Database } from '../database.ts';
import { insertion, names } from '../rows/columns.ts';
import { LIGHTNING_PAYMENT_COLUMNS, lightningPaymentOf } from '../rows/lightning-row.ts';
import { TRANSFER_COLUMNS, transferOf } from '../rows/transfer-row.ts';
import { integer, text } from '../rows/values.ts';
import type { Session } from '../session.ts';

/** Lightning payments of transfers, and open invoices of orders. */
export class KnexLightningStore implements LightningStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async paymentOf(id: TransferId): Promise<LightningPayment | null> {
    const sql = `SELECT ${names(LIGHTNING_PAYMENT_COLUMNS)} FROM ${this.#db.tables.lightningPayments} WHERE transfer_id = ?`;
    const [row] = await this.#db.read(sql, [id]);
    return row === undefined ? null : lightningPaymentOf(row);
  }

  async unfinished(after: TransferId | null, limit: number): Promise<readonly UnfinishedPayment[]> {
    const from = this.#payments;
    // Two queries, each by its own partial index of the payments under way.
    const rows = await this.#db.read(
      `SELECT * FROM (${from} WHERE t.chain = ? AND t.status = 'REQUESTED' AND t.id > ?) AS waiting
       UNION ALL SELECT * FROM (${from} WHERE t.chain = ? AND t.status IN ('SIGNED', 'BROADCAST') AND t.id > ?) AS sent
       ORDER BY id LIMIT ?`,
      [LIGHTNING_ASSET.chain, after ?? '', LIGHTNING_ASSET.chain, after ?? '', limit],
    );
    return rows.map((row) => ({ payment: lightningPaymentOf(row), transfer: transferOf(row) }));
  }

  async heldExpired(now: Millis, limit: number): Promise<readonly UnfinishedPayment[]> {
    const rows = await this.#db.read(
      `${this.#payments} WHERE t.status = 'HELD' AND t.chain = ? AND p.expires_at <= ? ORDER BY t.id LIMIT ?`,
      [LIGHTNING_ASSET.chain, now, limit],
    );
    return rows.map((row) => ({ payment: lightningPaymentOf(row), transfer: transferOf(row) }));
  }

  get #payments(): string {
    const { transfers, lightningPayments } = this.#db.tables;
    return `SELECT ${names(TRANSFER_COLUMNS, 't.')}, ${names(LIGHTNING_PAYMENT_COLUMNS, 'p.')} FROM ${transfers} t JOIN ${lightningPayments} p ON p.transfer_id = t.id`;
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
export class KnexLightningWrites implements LightningWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async addPayment(payment: LightningPayment): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.lightningPayments, LIGHTNING_PAYMENT_COLUMNS, [payment]);
    // Of two that pay the same invoice, the later waits for the first and finds its row.
    return (await run(`${sql} ON CONFLICT (payment_hash) DO NOTHING RETURNING payment_hash`, bindings)).length > 0;
  }
}
