import { assert, pageOf, TillgateError } from '../../../../core/index.ts';
import type {
  AccountId,
  ChainCode,
  CreateOrderResult,
  DueOrder,
  Millis,
  NewOrder,
  Order,
  OrderHistoryEntry,
  OrderId,
  OrderStore,
  Page,
  PageRequest,
} from '../../../../core/index.ts';
import { GroupCommit } from '../group-commit.ts';
import type { Database } from '../database.ts';
import { ORDERS_COUNTER } from '../dialects/counters.ts';
import type { BatchOutcome, BatchTarget, Row } from '../dialects/dialect.ts';
import { claimKey } from '../rows/claim-row.ts';
import { names } from '../rows/columns.ts';
import { HISTORY_COLUMNS, historyOf, ORDER_COLUMNS, orderOf } from '../rows/order-row.ts';
import { integer, text, textOrNull } from '../rows/values.ts';
import { deleteSome, isStorable, numberedPage } from './common.ts';

const MAX_BATCH = 200;
/** Retries of an idempotency key whose claim expired between two queries. */
const CLAIM_TRIES = 3;

/** Orders in `orders`, `order_addresses`, `order_history` and `idempotency_claims`. */
export class KnexOrderStore implements OrderStore {
  readonly #db: Database;
  readonly #groupCommit: GroupCommit<NewOrder, BatchOutcome>;

  constructor(db: Database) {
    this.#db = db;
    const target: BatchTarget = {
      tables: db.tables,
      write: db.write,
      transaction: (work) => db.transaction(({ run }) => work(run)),
    };
    this.#groupCommit = new GroupCommit({
      commit: (batch) => db.dialect.createOrders(target, batch),
      maxSize: MAX_BATCH,
      atOnce: db.dialect.batchesAtOnce,
      keyOf: (fresh) => claimKey(fresh.order, fresh),
    });
  }

  async create(order: NewOrder): Promise<CreateOrderResult> {
    this.#db.checkNesting();
    for (let tries = 0; tries < CLAIM_TRIES; tries++) {
      const outcome = await this.#groupCommit.add(order);
      if (outcome.kind === 'created') return { kind: 'created', order: { ...order.order, number: outcome.number } };
      const former = await this.#claimed(order);
      if (former !== null) return former;
    }
    throw new TillgateError('IDEMPOTENCY_RUNNING', 'The first request with this Idempotency-Key is still running.');
  }

  async find(id: OrderId): Promise<Order | null> {
    return this.#one('id', id);
  }

  async findByCheckoutToken(token: string): Promise<Order | null> {
    return this.#one('checkout_token', token);
  }

  async changedAt(ids: readonly OrderId[]): Promise<ReadonlyMap<OrderId, Millis>> {
    if (ids.length === 0) return new Map();
    const { tables, dialect } = this.#db;
    const rows = await this.#db.read(`SELECT id, updated_at FROM ${tables.orders} WHERE ${dialect.anyOf('id')}`, [
      dialect.list(ids),
    ]);
    return new Map(rows.map((row) => [text(row, 'id') as OrderId, integer(row, 'updated_at')]));
  }

  async list(accountId: AccountId, page: PageRequest): Promise<Page<Order>> {
    const { orders, counters } = this.#db.tables;
    const { total, rows } = await numberedPage(
      this.#db,
      { table: orders, counters, counter: ORDERS_COUNTER, columns: ORDER_COLUMNS },
      accountId,
      page,
    );
    return pageOf(page, total, rows.map(orderOf));
  }

  async history(id: OrderId): Promise<readonly OrderHistoryEntry[]> {
    const sql = `SELECT ${names(HISTORY_COLUMNS)} FROM ${this.#db.tables.history} WHERE order_id = ? ORDER BY id`;
    return (await this.#db.read(sql, [id])).map(historyOf);
  }

  async countOpen(accountId: AccountId, most: number): Promise<number> {
    // The expression keeps the planner from the index of all orders of the account: that of pending orders is short.
    const sql = `SELECT count(*) AS orders FROM (
      SELECT 1 FROM ${this.#db.tables.orders} WHERE status = 'PENDING' AND account_id || '' = ? LIMIT ?) AS pending`;
    const [row] = await this.#db.read(sql, [accountId, most]);
    return row === undefined ? 0 : integer(row, 'orders');
  }

  async dueForExpiry(now: Millis, chains: ReadonlyMap<ChainCode, Millis>, limit: number): Promise<readonly DueOrder[]> {
    const { orders, deposits, sightings } = this.#db.tables;
    // One index range for each chain: orders of a chain that lags behind are not read.
    const due = (where: string): string =>
      `SELECT * FROM (SELECT id, chain, expires_at FROM ${orders} AS o
        WHERE status = 'PENDING' AND ${where} AND expires_at <= ? AND NOT EXISTS (
          SELECT 1 FROM ${deposits} AS d WHERE d.order_id = o.id AND d.status = 'SEEN' AND d.paid_at <= o.expires_at)
        AND NOT EXISTS (
          SELECT 1 FROM ${sightings} AS s WHERE s.order_id = o.id AND s.status <> 'GONE' AND s.seen_at <= o.expires_at)
        ORDER BY expires_at LIMIT ?) AS due`;
    const named = [...chains].map(([chain, time]) => ({
      where: 'chain = ?',
      bindings: [chain, Math.min(now, time), limit],
    }));
    const all = [{ where: 'chain IS NULL', bindings: [now, limit] }, ...named];
    const sql = `${all.map(({ where }) => due(where)).join(' UNION ALL ')} ORDER BY expires_at, id LIMIT ?`;
    return (await this.#db.read(sql, [...all.flatMap(({ bindings }) => bindings), limit])).map(dueOf);
  }

  async dueForReversal(now: Millis, limit: number): Promise<readonly DueOrder[]> {
    const sql = `SELECT id, chain FROM ${this.#db.tables.orders}
      WHERE reorged_at IS NOT NULL AND watch_until <= ? AND status IN ('SUCCESS', 'RESOLVED') ORDER BY watch_until, id LIMIT ?`;
    return (await this.#db.read(sql, [now, limit])).map(dueOf);
  }

  pruneIdempotency(now: Millis, limit: number): Promise<number> {
    return deleteSome(
      this.#db,
      this.#db.tables.idempotency,
      ['account_id', 'route', 'claim_key'],
      'expires_at <= ?',
      [now],
      limit,
    );
  }

  async #one(column: 'id' | 'checkout_token', value: string): Promise<Order | null> {
    if (!isStorable(value)) return null;
    const [row] = await this.#db.read(
      `SELECT ${names(ORDER_COLUMNS)} FROM ${this.#db.tables.orders} WHERE ${column} = ?`,
      [value],
    );
    return row === undefined ? null : orderOf(row);
  }

  async #claimed({ order, idempotency }: NewOrder): Promise<CreateOrderResult | null> {
    assert(idempotency !== null, 'an order without a claim cannot be repeated');
    const [row] = await this.#db.read(
      `SELECT order_id, body_hash FROM ${this.#db.tables.idempotency} WHERE account_id = ? AND route = ? AND claim_key = ?`,
      [order.accountId, idempotency.route, idempotency.key],
    );
    if (row === undefined) return null;
    return { kind: 'repeated', orderId: text(row, 'order_id') as OrderId, bodyHash: text(row, 'body_hash') };
  }
}

const dueOf = (row: Row): DueOrder => ({ id: text(row, 'id') as OrderId, chain: textOrNull(row, 'chain') });
