import { assert, NO_EVENT_ROWS, pageOf, TillgateError } from '../../../../../core/index.ts';
import type {
  AccountId,
  ChainCode,
  ClaimName,
  CreateOrderResult,
  DeadlinePosition,
  Millis,
  NewOrder,
  Order,
  OrderHistoryEntry,
  OrderId,
  OrderSearch,
  OrderStore,
  Page,
  PageRequest,
} from '../../../../../core/index.ts';
import { GroupCommit } from '../../group-commit.ts';
import type { Database } from '../../database.ts';
import { ORDERS_COUNTER } from '../../dialects/counters.ts';
import { StatementError } from '../../errors.ts';
import type { Row } from '../../dialects/dialect.ts';
import { claimKey } from '../../rows/claim-row.ts';
import { names } from '../../rows/columns.ts';
import { ORDER_COLUMNS, orderOf } from '../../rows/order-row.ts';
import { integer, text } from '../../rows/values.ts';
import type { RecordReports } from '../../commit-events.ts';
import { createOrders } from './create-orders.ts';
import type { BatchOutcome, ReportedOrder } from './create-orders.ts';
import { deleteSome, isStorable, numberedPage } from '../common.ts';
import { orderHistory } from './order-history.ts';
import { orderSearchSql } from './order-search.ts';

const MAX_BATCH = 200;
/** Retries of an idempotency key whose claim expired between two queries. */
const CLAIM_TRIES = 3;

/** Orders in `orders`, `order_addresses`, `order_history` and `idempotency_claims`. */
export class SqlOrderStore implements OrderStore {
  readonly #db: Database;
  readonly #groupCommit: GroupCommit<ReportedOrder, BatchOutcome>;
  readonly #reports: RecordReports;

  constructor(db: Database, reports: RecordReports) {
    this.#db = db;
    this.#reports = reports;
    this.#groupCommit = new GroupCommit({
      commit: (batch) => createOrders(db, batch),
      maxSize: MAX_BATCH,
      atOnce: db.dialect.batchesAtOnce,
      keysOf: ({ fresh }) => [claimKey(fresh.order, fresh), referenceKey(fresh), linkKey(fresh)],
    });
  }

  async create(order: NewOrder): Promise<CreateOrderResult> {
    this.#db.checkNesting();
    const rows =
      order.hasWebhooks !== false
        ? await this.#reports.of({
            type: 'order.created',
            order: order.order,
            ...(order.shop !== undefined && { shop: order.shop }),
          })
        : NO_EVENT_ROWS;
    for (let tries = 0; tries < CLAIM_TRIES; tries++) {
      const outcome = await this.#groupCommit
        .add({ fresh: order, rows })
        .catch((error: unknown) => this.#lostRace(order, error));
      if (outcome.kind === 'created') {
        this.#reports.announce(rows);
        return { kind: 'created', order: { ...order.order, number: outcome.number } };
      }
      // A request that got the last place and is repeated finds its order.
      if (outcome.kind === 'no-place') return (await this.#claimed(order)) ?? { kind: 'no-place', why: outcome.why };
      const former = await this.#former(order);
      if (former !== null) return former;
    }
    throw new TillgateError('IDEMPOTENCY_RUNNING', 'The first request with this Idempotency-Key is still running.');
  }

  async find(id: OrderId): Promise<Order | null> {
    return this.#one('id', id);
  }

  async findByClaim(accountId: AccountId, claim: ClaimName, now: Millis): Promise<Order | null> {
    const row = await this.#claim(accountId, claim, now);
    return row === null ? null : this.find(text(row, 'order_id') as OrderId);
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

  async search(search: OrderSearch): Promise<readonly Order[]> {
    const statement = orderSearchSql(this.#db.tables, this.#db.dialect, search);
    return statement === null ? [] : (await this.#db.read(statement.sql, statement.bindings)).map(orderOf);
  }

  history(id: OrderId): Promise<readonly OrderHistoryEntry[]> {
    return orderHistory(this.#db.read, this.#db.tables, id);
  }

  async countOpen(accountId: AccountId, most: number): Promise<number> {
    // The order is that of the index of the account's pending orders, which is short.
    const sql = `SELECT count(*) AS orders FROM (SELECT 1 FROM ${this.#db.tables.orders}
      WHERE status = 'PENDING' AND account_id = ? ORDER BY created_at, id LIMIT ?) AS pending`;
    const [row] = await this.#db.read(sql, [accountId, most]);
    return row === undefined ? 0 : integer(row, 'orders');
  }

  async dueForExpiry(
    now: Millis,
    chains: ReadonlyMap<ChainCode, Millis>,
    limit: number,
    after: DeadlinePosition | null,
  ): Promise<readonly Order[]> {
    const { orders } = this.#db.tables;
    const columns = names(ORDER_COLUMNS);
    const [from, id] = [after?.expiresAt ?? 0, after?.id ?? ''];
    // One index range for each chain, so that orders of a lagging chain are not read.
    const due = (where: string): string =>
      `SELECT * FROM (SELECT ${columns} FROM ${orders} WHERE status = 'PENDING' AND ${where} AND expires_at <= ?
        AND expires_at >= ? AND (expires_at > ? OR id > ?) ORDER BY expires_at, id LIMIT ?) AS due`;
    const named = [...chains].map(([chain, time]) => ({
      where: 'chain = ?',
      bindings: [chain, Math.min(now, time), from, from, id, limit],
    }));
    const all = [{ where: 'chain IS NULL', bindings: [now, from, from, id, limit] }, ...named];
    const sql = `${all.map(({ where }) => due(where)).join(' UNION ALL ')} ORDER BY expires_at, id LIMIT ?`;
    return (await this.#db.read(sql, [...all.flatMap(({ bindings }) => bindings), limit])).map(orderOf);
  }

  async dueForReversal(now: Millis, limit: number): Promise<readonly OrderId[]> {
    const sql = `SELECT id FROM ${this.#db.tables.orders}
      WHERE reorged_at IS NOT NULL AND watch_until <= ? AND status IN ('SUCCESS', 'RESOLVED') ORDER BY watch_until, id LIMIT ?`;
    return (await this.#db.read(sql, [now, limit])).map(idOf);
  }

  async dueForDecision(limit: number): Promise<readonly OrderId[]> {
    const sql = `SELECT id FROM ${this.#db.tables.orders} WHERE decide_at IS NOT NULL ORDER BY decide_at, id LIMIT ?`;
    return (await this.#db.read(sql, [limit])).map(idOf);
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

  /** A statement that the unique index of references refused is treated like one that found the reference taken. */
  async #lostRace(fresh: NewOrder, error: unknown): Promise<BatchOutcome> {
    const refused = error instanceof StatementError && error.failure.kind === 'refused';
    if (refused && (await this.#referenced(fresh)) !== null) return { kind: 'repeated' };
    throw error;
  }

  /** The existing order that takes the place of a new one. */
  async #former(fresh: NewOrder): Promise<CreateOrderResult | null> {
    assert(fresh.idempotency !== null || fresh.order.merchantReference !== null, 'an order that nothing could precede');
    return (await this.#claimed(fresh)) ?? (await this.#referenced(fresh));
  }

  async #referenced({ order: { accountId, merchantReference } }: NewOrder): Promise<CreateOrderResult | null> {
    if (merchantReference === null) return null;
    const [row] = await this.#db.read(
      `SELECT id FROM ${this.#db.tables.orders} WHERE account_id = ? AND merchant_reference = ?`,
      [accountId, merchantReference],
    );
    return row === undefined ? null : { kind: 'reference-taken', orderId: text(row, 'id') as OrderId };
  }

  async #claimed({ order, idempotency }: NewOrder): Promise<CreateOrderResult | null> {
    if (idempotency === null) return null;
    const row = await this.#claim(order.accountId, idempotency, order.createdAt);
    if (row === null) return null;
    return { kind: 'repeated', orderId: text(row, 'order_id') as OrderId, bodyHash: text(row, 'body_hash') };
  }

  async #claim(accountId: AccountId, { route, key }: ClaimName, now: Millis): Promise<Row | null> {
    const [row] = await this.#db.read(
      `SELECT order_id, body_hash FROM ${this.#db.tables.idempotency}
        WHERE account_id = ? AND route = ? AND claim_key = ? AND expires_at > ?`,
      [accountId, route, key, now],
    );
    return row ?? null;
  }
}

/** Unique within a batch: an account's reference; `null` without one. */
const referenceKey = ({ order: { accountId, merchantReference } }: NewOrder): string | null =>
  merchantReference === null ? null : JSON.stringify([accountId, merchantReference]);

/** A batch has at most one order of a link, because its sales are counted in the database. */
const linkKey = ({ place }: NewOrder): string | null => (place === undefined ? null : `link ${place.linkId}`);

const idOf = (row: Row): OrderId => text(row, 'id') as OrderId;
