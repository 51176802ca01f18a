import type { Millis, OrderId, ShopOrder, ShopOrderStore, ShopOrderWrites } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Run } from '../../dialects/dialect.ts';
import { insertion, names } from '../../rows/columns.ts';
import { SHOP_ORDER_COLUMNS, shopOrderOf } from '../../rows/shop-order-row.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';

const COLUMNS = names(SHOP_ORDER_COLUMNS);

async function find(run: Run, { shopOrders }: Tables, id: OrderId): Promise<ShopOrder | null> {
  const [row] = await run(`SELECT ${COLUMNS} FROM ${shopOrders} WHERE order_id = ?`, [id]);
  return row === undefined ? null : shopOrderOf(row);
}

/** What shops keep with their orders, in `order_shop_data`. */
export class SqlShopOrderStore implements ShopOrderStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  find(id: OrderId): Promise<ShopOrder | null> {
    return find(this.#db.read, this.#db.tables, id);
  }

  async findAll(ids: readonly OrderId[]): Promise<readonly ShopOrder[]> {
    const { tables, dialect } = this.#db;
    const sql = `SELECT ${COLUMNS} FROM ${tables.shopOrders} WHERE ${dialect.anyOf('order_id')}`;
    return (await this.#db.read(sql, [dialect.list(ids)])).map(shopOrderOf);
  }
}

/** Writes of one transaction. */
export class SqlShopOrderWrites implements ShopOrderWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  find(id: OrderId): Promise<ShopOrder | null> {
    return find(this.#session.run, this.#session.tables, id);
  }

  async save(shop: ShopOrder, updatedAt: Millis): Promise<void> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.shopOrders, SHOP_ORDER_COLUMNS, [{ ...shop, updatedAt }]);
    const changed = ['reference', 'metadata', 'checkout', 'coins', 'archived_at', 'updated_at'];
    const replaced = changed.map((column) => `${column} = excluded.${column}`).join(', ');
    await run(`${sql} ON CONFLICT (order_id) DO UPDATE SET ${replaced}`, bindings);
  }
}
