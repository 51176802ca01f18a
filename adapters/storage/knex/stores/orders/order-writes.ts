import { assert } from '../../../../../core/index.ts';
import type {
  ChainCode,
  CurrencyCode,
  DepositAddress,
  Millis,
  Order,
  OrderChanges,
  OrderHistoryEntry,
  OrderId,
  OrderStatus,
  OrderWrites,
} from '../../../../../core/index.ts';
import type { Binding } from '../../binding.ts';
import { assignments, insertion, names } from '../../rows/columns.ts';
import { depositAddressOf, HISTORY_COLUMNS, ORDER_COLUMNS, orderChange, orderOf } from '../../rows/order-row.ts';
import { text } from '../../rows/values.ts';
import { orderHistory } from './order-history.ts';
import type { Session } from '../../session.ts';

/** Order writes of one transaction. */
export class SqlOrderWrites implements OrderWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async lock(id: OrderId): Promise<Order | null> {
    const { run, tables, dialect } = this.#session;
    const [row] = await run(`SELECT ${names(ORDER_COLUMNS)} FROM ${tables.orders} WHERE id = ? ${dialect.forUpdate}`, [
      id,
    ]);
    return row === undefined ? null : orderOf(row);
  }

  async find(id: OrderId): Promise<Order | null> {
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT ${names(ORDER_COLUMNS)} FROM ${tables.orders} WHERE id = ?`, [id]);
    return row === undefined ? null : orderOf(row);
  }

  async move(id: OrderId, from: OrderStatus, to: OrderStatus, changes: OrderChanges): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments([['status', to], ...orderChange(changes)]);
    const moved = await run(`UPDATE ${tables.orders} SET ${sql} WHERE id = ? AND status = ? RETURNING id`, [
      ...bindings,
      id,
      from,
    ]);
    return moved.length > 0;
  }

  async update(id: OrderId, changes: OrderChanges): Promise<void> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments(orderChange(changes));
    const changed = await run(`UPDATE ${tables.orders} SET ${sql} WHERE id = ? RETURNING id`, [...bindings, id]);
    assert(changed.length === 1, `order ${id} to be changed does not exist`);
  }

  async addHistory(entry: OrderHistoryEntry): Promise<void> {
    const { sql, bindings } = insertion(this.#session.tables.history, HISTORY_COLUMNS, [entry]);
    await this.#session.run(sql, bindings);
  }

  async decideAgain(id: OrderId, at: Millis | null): Promise<void> {
    const { run, tables } = this.#session;
    await run(`UPDATE ${tables.orders} SET decide_at = ? WHERE id = ?`, [at, id]);
  }

  history(id: OrderId): Promise<readonly OrderHistoryEntry[]> {
    return orderHistory(this.#session.run, this.#session.tables, id);
  }

  async addAddress(
    id: OrderId,
    { chain, address, key, walletId, index }: DepositAddress,
    currency: CurrencyCode,
    { watchUntil, assignedAt }: { readonly watchUntil: Millis; readonly assignedAt: Millis },
  ): Promise<void> {
    const { run, tables, dialect } = this.#session;
    await run(
      `INSERT INTO ${tables.addresses} (order_id, account_id, chain, currency, address, watch_key, wallet_id,
         address_index, watch_until, assigned_at, assigned_height, created_at)
       VALUES (?, (SELECT account_id FROM ${tables.orders} WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?,
         (SELECT cursor_height FROM ${tables.chainStates} WHERE chain = ?), ${dialect.nowMs})`,
      [id, id, chain, currency, address, key, walletId, index, watchUntil, assignedAt, chain],
    );
  }

  async addressAt(chain: ChainCode, address: string): Promise<(DepositAddress & { readonly orderId: OrderId }) | null> {
    const { run, tables } = this.#session;
    const [row] = await run(
      `SELECT order_id, chain, address, watch_key, wallet_id, address_index FROM ${tables.addresses} WHERE chain = ? AND address = ?`,
      [chain, address],
    );
    return row === undefined ? null : { ...depositAddressOf(row), orderId: text(row, 'order_id') as OrderId };
  }

  async addressOn(id: OrderId, chain: ChainCode): Promise<DepositAddress | null> {
    const { run, tables } = this.#session;
    const [row] = await run(
      `SELECT chain, address, watch_key, wallet_id, address_index FROM ${tables.addresses} WHERE order_id = ? AND chain = ?`,
      [id, chain],
    );
    return row === undefined ? null : depositAddressOf(row);
  }

  async setAddressCurrency(id: OrderId, chain: ChainCode, currency: CurrencyCode): Promise<void> {
    await this.#readdress(id, chain, 'currency = ?', [currency]);
  }

  async extendWatch(id: OrderId, chain: ChainCode, until: Millis): Promise<void> {
    await this.#readdress(id, chain, 'watch_until = CASE WHEN watch_until < ? THEN ? ELSE watch_until END', [
      until,
      until,
    ]);
  }

  /** Also sets `created_at`, so that readers of new rows see the change. */
  async #readdress(id: OrderId, chain: ChainCode, change: string, bindings: readonly Binding[]): Promise<void> {
    const { run, tables, dialect } = this.#session;
    const changed = await run(
      `UPDATE ${tables.addresses} SET ${change}, created_at = ${dialect.nowMs} WHERE order_id = ? AND chain = ? RETURNING order_id`,
      [...bindings, id, chain],
    );
    assert(changed.length === 1, `order ${id} has no address on ${chain}`);
  }
}
