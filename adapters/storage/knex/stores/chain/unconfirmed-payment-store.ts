import type {
  ChainCode,
  Millis,
  OrderId,
  UnconfirmedPayment,
  UnconfirmedPaymentKey,
  UnconfirmedPaymentStatus,
  UnconfirmedPaymentStore,
  UnconfirmedPaymentWrites,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import { insertion, names } from '../../rows/columns.ts';
import { UNCONFIRMED_PAYMENT_COLUMNS, unconfirmedPaymentOf } from '../../rows/unconfirmed-payment-row.ts';
import type { Session } from '../../session.ts';

const COLUMNS = names(UNCONFIRMED_PAYMENT_COLUMNS);
const TRANSFER = 'chain = ? AND txid = ? AND tx_index = ?';
/** The condition of the partial index. */
const LIVE = "status <> 'GONE'";
const IN_ORDER = 'ORDER BY seen_at, txid, tx_index';

/** Unconfirmed payments, in `unconfirmed_payments`. */
export class SqlUnconfirmedPaymentStore implements UnconfirmedPaymentStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async ofChain(chain: ChainCode): Promise<readonly UnconfirmedPayment[]> {
    return (
      await this.#db.read(`SELECT ${COLUMNS} FROM ${this.#db.tables.unconfirmedPayments} WHERE chain = ? ${IN_ORDER}`, [
        chain,
      ])
    ).map(unconfirmedPaymentOf);
  }

  async live(orderIds: readonly OrderId[]): Promise<readonly UnconfirmedPayment[]> {
    if (orderIds.length === 0) return [];
    const { tables, dialect } = this.#db;
    const sql = `SELECT ${COLUMNS} FROM ${tables.unconfirmedPayments} WHERE ${dialect.anyOf('order_id')} AND ${LIVE} ${IN_ORDER}`;
    return (await this.#db.read(sql, [dialect.list(orderIds)])).map(unconfirmedPaymentOf);
  }
}

/** Writes of unconfirmed payments in one transaction. */
export class SqlUnconfirmedPaymentWrites implements UnconfirmedPaymentWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async add(unconfirmed: UnconfirmedPayment): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.unconfirmedPayments, UNCONFIRMED_PAYMENT_COLUMNS, [unconfirmed]);
    return (await run(`${sql} ON CONFLICT (chain, txid, tx_index) DO NOTHING RETURNING txid`, bindings)).length > 0;
  }

  async take({ chain, txid, index }: UnconfirmedPaymentKey): Promise<UnconfirmedPayment | null> {
    const { run, tables } = this.#session;
    const [row] = await run(`DELETE FROM ${tables.unconfirmedPayments} WHERE ${TRANSFER} RETURNING ${COLUMNS}`, [
      chain,
      txid,
      index,
    ]);
    return row === undefined ? null : unconfirmedPaymentOf(row);
  }

  async move(
    { chain, txid, index }: UnconfirmedPaymentKey,
    from: UnconfirmedPaymentStatus,
    to: UnconfirmedPaymentStatus,
    at: Millis,
  ): Promise<boolean> {
    const { run, tables } = this.#session;
    const sql = `UPDATE ${tables.unconfirmedPayments} SET status = ?, since = ? WHERE ${TRANSFER} AND status = ? RETURNING txid`;
    return (await run(sql, [to, at, chain, txid, index, from])).length > 0;
  }

  async live(orderId: OrderId): Promise<readonly UnconfirmedPayment[]> {
    const { run, tables } = this.#session;
    return (
      await run(`SELECT ${COLUMNS} FROM ${tables.unconfirmedPayments} WHERE order_id = ? AND ${LIVE} ${IN_ORDER}`, [
        orderId,
      ])
    ).map(unconfirmedPaymentOf);
  }

  async forget(chain: ChainCode, before: Millis): Promise<void> {
    const { run, tables } = this.#session;
    await run(`DELETE FROM ${tables.unconfirmedPayments} WHERE chain = ? AND status = 'GONE' AND since < ?`, [
      chain,
      before,
    ]);
  }
}
