import { pageOf } from '../../../../../core/index.ts';
import type {
  AccountId,
  ChainCode,
  Deposit,
  DepositId,
  DepositStore,
  DueHeights,
  UnsettledOrder,
  Millis,
  NewestQuery,
  OrderId,
  Page,
  PageRequest,
  TransactionRow,
  TransactionSearch,
  WatchedAddress,
  WatchedNow,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import { TRANSACTIONS_COUNTER } from '../../dialects/counters.ts';
import type { Binding } from '../../binding.ts';
import type { Row } from '../../dialects/dialect.ts';
import { names, parts } from '../../rows/columns.ts';
import { DEPOSIT_COLUMNS, depositOf, TRANSACTION_COLUMNS, transactionOf } from '../../rows/deposit-row.ts';
import { integer, integerOrNull, text } from '../../rows/values.ts';
import { numberedPage } from '../common.ts';
import { newestSql } from '../newest-list.ts';
import { transactionSearchSql } from './transaction-search.ts';

/** Chunk size for watched addresses, of which there may be a million. */
const CHUNK = 1_000;
const KEYS_AT_ONCE = 2_000;
/**
 * How far before `since` to look, in milliseconds. A row gets its time when it is written, and becomes visible when its
 * transaction commits: at most a transaction's lifetime (25 s) and a statement's time limit (30 s) later.
 */
const LOOK_BACK_MS = 60_000;

const DEPOSITS = names(DEPOSIT_COLUMNS);
/** The first condition is that of the partial index. */
const DUE = `status IN ('SEEN', 'CREDITED') AND ((status = 'SEEN' AND block_height <= ?) OR (status = 'CREDITED' AND block_height <= ?))`;
/** The columns of a {@link WatchedAddress}. */
export const WATCHED = 'watch_key, address, order_id, account_id, currency, watch_until, assigned_at, assigned_height';

/** Deposits, transactions, and watched addresses. */
export class SqlDepositStore implements DepositStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async find(id: DepositId): Promise<Deposit | null> {
    const [row] = await this.#db.read(`SELECT ${DEPOSITS} FROM ${this.#db.tables.deposits} WHERE id = ?`, [id]);
    return row === undefined ? null : depositOf(row);
  }

  async unassigned(query: NewestQuery<DepositId>): Promise<readonly Deposit[]> {
    // The first condition is that of the partial index.
    const only = "assignment <> 'ORDER' AND assignment = 'UNASSIGNED'";
    const { sql, bindings } = newestSql({ table: this.#db.tables.deposits, columns: DEPOSITS, only }, query);
    return (await this.#db.read(sql, bindings)).map(depositOf);
  }

  async byOrder(orderId: OrderId): Promise<readonly Deposit[]> {
    return this.byOrders([orderId]);
  }

  async byOrders(orderIds: readonly OrderId[]): Promise<readonly Deposit[]> {
    if (orderIds.length === 0) return [];
    const { tables, dialect } = this.#db;
    const sql = `SELECT ${DEPOSITS} FROM ${tables.deposits} WHERE ${dialect.anyOf('order_id')} AND assignment = 'ORDER' ORDER BY seen_at, id`;
    return (await this.#db.read(sql, [dialect.list(orderIds)])).map(depositOf);
  }

  async dueOrders(chain: ChainCode, { credit, spend }: DueHeights): Promise<readonly UnsettledOrder[]> {
    const sql = `SELECT order_id, count(*) AS deposits FROM ${this.#db.tables.deposits} WHERE chain = ? AND ${DUE}
      GROUP BY order_id ORDER BY deposits, order_id`;
    const rows = await this.#db.read(sql, [chain, credit, spend]);
    return rows.map((row) => ({ orderId: text(row, 'order_id') as OrderId, deposits: integer(row, 'deposits') }));
  }

  async due(
    chain: ChainCode,
    { credit, spend }: DueHeights,
    orderIds: readonly OrderId[],
    { after, limit }: { readonly after: DepositId | null; readonly limit: number },
  ): Promise<readonly Deposit[]> {
    const { tables, dialect } = this.#db;
    const sql = `SELECT ${DEPOSITS} FROM ${tables.deposits}
      WHERE chain = ? AND ${dialect.anyOf('order_id')} AND id > ? AND ${DUE} ORDER BY order_id, id LIMIT ?`;
    const bindings = [chain, dialect.list(orderIds), after ?? '', credit, spend, limit];
    return (await this.#db.read(sql, bindings)).map(depositOf);
  }

  async transactions(accountId: AccountId, page: PageRequest): Promise<Page<TransactionRow>> {
    const { transactions: table, counters } = this.#db.tables;
    const numbered = { table, counters, counter: TRANSACTIONS_COUNTER, columns: TRANSACTION_COLUMNS };
    const { total, rows } = await numberedPage(this.#db, numbered, accountId, page);
    return pageOf(page, total, rows.map(transactionOf));
  }

  async searchTransactions(search: TransactionSearch): Promise<readonly TransactionRow[]> {
    const statement = transactionSearchSql(this.#db.tables, this.#db.dialect, search);
    return statement === null ? [] : (await this.#db.read(statement.sql, statement.bindings)).map(transactionOf);
  }

  async watched(chain: ChainCode, now: Millis, since: Millis, each: (address: WatchedNow) => void): Promise<Millis> {
    const [clock] = await this.#db.read(`SELECT ${this.#db.dialect.nowMs} AS now`);
    for await (const rows of this.#watchedRows(chain, now, since)) {
      for (const row of rows)
        each({
          key: text(row, 'watch_key'),
          currency: text(row, 'currency'),
          watchUntil: integer(row, 'watch_until'),
          openUntil: integer(row, 'open_until'),
        });
    }
    return clock === undefined ? 0 : integer(clock, 'now');
  }

  async owners(chain: ChainCode, keys: readonly string[]): Promise<readonly WatchedAddress[]> {
    const { tables, dialect } = this.#db;
    const sql = `SELECT ${WATCHED} FROM ${tables.addresses} WHERE chain = ? AND ${dialect.anyOf('watch_key')}`;
    const found: WatchedAddress[] = [];
    for (const some of parts(keys, KEYS_AT_ONCE)) {
      found.push(...(await this.#db.read(sql, [chain, dialect.list(some)])).map(watchedOf));
    }
    return found;
  }

  /**
   * Reads in chunks: all addresses by the end of their watch, recent ones by the time they were assigned, each with its
   * own index. Rows added in the meantime are found by the next call, which begins at `asOf`.
   */
  async *#watchedRows(chain: ChainCode, now: Millis, since: Millis): AsyncGenerator<readonly Row[]> {
    const by = since > 0 ? 'created_at' : 'watch_until';
    const { addresses, orders } = this.#db.tables;
    const open = `SELECT o.expires_at FROM ${orders} o WHERE o.id = a.order_id`;
    const found =
      since > 0
        ? // `+ 0` keeps SQLite, which has no statistics, from using the other index.
          `SELECT * FROM ${addresses} WHERE chain = ? AND (created_at, order_id) > (?, ?) AND watch_until + 0 > ?
            ORDER BY created_at, order_id LIMIT ${CHUNK}`
        : byWatchEnd(addresses, '*', String(CHUNK));
    const sql = `SELECT watch_key, currency, watch_until, order_id, created_at, COALESCE((${open}), 0) AS open_until
      FROM (${found}) AS a ORDER BY ${by}, order_id`;
    // An empty id sorts before every digit string, a colon after: `since` itself is included, `now` is not.
    let after: [number, string] = since > 0 ? [since - LOOK_BACK_MS, ''] : [now, ':'];
    for (;;) {
      const bindings: Binding[] = since > 0 ? [chain, ...after, now] : [chain, ...after, chain, ...after];
      const rows = await this.#db.read(sql, bindings);
      yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < CHUNK) return;
      after = [integer(last, by), text(last, 'order_id')];
    }
  }
}

/**
 * The first addresses of a chain after a position in the order of their watch windows' ends: those that were compared already
 * and those that were not have an index each. Binds the chain, the position's end and order id, twice.
 */
export function byWatchEnd(addresses: string, columns: string, limit: string): string {
  const range = (compared: string): string =>
    `SELECT * FROM (SELECT ${columns} FROM ${addresses} WHERE chain = ? AND (watch_until, order_id) > (?, ?)
      AND compared_height ${compared} ORDER BY watch_until, order_id LIMIT ${limit}) AS part`;
  return `SELECT * FROM (${range('IS NULL')} UNION ALL ${range('IS NOT NULL')}) AS found ORDER BY watch_until, order_id LIMIT ${limit}`;
}

export function watchedOf(row: Row): WatchedAddress {
  return {
    key: text(row, 'watch_key'),
    address: text(row, 'address'),
    orderId: text(row, 'order_id') as OrderId,
    accountId: text(row, 'account_id') as AccountId,
    currency: text(row, 'currency'),
    watchUntil: integer(row, 'watch_until'),
    assignedAt: integer(row, 'assigned_at'),
    assignedHeight: integerOrNull(row, 'assigned_height'),
  };
}
