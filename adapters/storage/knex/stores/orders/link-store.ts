import { SOLD } from '../../../../../core/index.ts';
import type {
  AccountId,
  LinkCounts,
  LinkId,
  LinkPosition,
  LinkStore,
  LinkWrites,
  Millis,
  PaymentLink,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import { assignments, insertion, names } from '../../rows/columns.ts';
import { LINK_COLUMNS, linkChange, linkOf } from '../../rows/link-row.ts';
import { integer } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import { isStorable } from '../common.ts';
import { openOrders } from './link-places.ts';
import { allOf, timeBounds } from '../range-list.ts';

const LINKS = names(LINK_COLUMNS);

/** Payment links in `payment_links`. */
export class SqlLinkStore implements LinkStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  find(id: LinkId): Promise<PaymentLink | null> {
    return this.#one('id', id);
  }

  findByToken(token: string): Promise<PaymentLink | null> {
    return this.#one('token', token);
  }

  async list(accountId: AccountId | null, after: LinkPosition | null, limit: number): Promise<readonly PaymentLink[]> {
    const { sql, bindings } = allOf([
      accountId === null ? { sql: '1 = 1', bindings: [] } : { sql: 'account_id = ?', bindings: [accountId] },
      ...timeBounds('created_at', { from: null, to: null, after }),
    ]);
    const rows = await this.#db.read(
      `SELECT ${LINKS} FROM ${this.#db.tables.links} WHERE ${sql} ORDER BY created_at DESC, id DESC LIMIT ?`,
      [...bindings, limit],
    );
    return rows.map(linkOf);
  }

  async counts(id: LinkId, most: number, now: Millis): Promise<LinkCounts> {
    const { tables } = this.#db;
    const part = (which: string): string =>
      `(SELECT count(*) FROM (SELECT 1 FROM ${tables.orders} AS o WHERE link_id = ? AND ${which} LIMIT ?) AS held)`;
    const sold = `o.status IN (${SOLD.map((status) => `'${status}'`).join(', ')})`;
    const sql = `SELECT ${part(openOrders(tables))} AS open_orders, ${part(sold)} AS sold_orders`;
    const [row] = await this.#db.read(sql, [id, now, most, id, most]);
    return row === undefined
      ? { open: 0, sold: 0 }
      : { open: integer(row, 'open_orders'), sold: integer(row, 'sold_orders') };
  }

  async #one(column: 'id' | 'token', value: string): Promise<PaymentLink | null> {
    if (!isStorable(value)) return null;
    const [row] = await this.#db.read(`SELECT ${LINKS} FROM ${this.#db.tables.links} WHERE ${column} = ?`, [value]);
    return row === undefined ? null : linkOf(row);
  }
}

/** Payment link writes of one transaction. */
export class SqlLinkWrites implements LinkWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async lock(id: LinkId): Promise<PaymentLink | null> {
    const { run, tables, dialect } = this.#session;
    const [row] = await run(`SELECT ${LINKS} FROM ${tables.links} WHERE id = ? ${dialect.forUpdate}`, [id]);
    return row === undefined ? null : linkOf(row);
  }

  async countOf(accountId: AccountId): Promise<number> {
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT count(*) AS total FROM ${tables.links} WHERE account_id = ?`, [accountId]);
    return row === undefined ? 0 : integer(row, 'total');
  }

  async add(link: PaymentLink): Promise<void> {
    const { sql, bindings } = insertion(this.#session.tables.links, LINK_COLUMNS, [link]);
    await this.#session.run(sql, bindings);
  }

  async update(link: PaymentLink): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments(linkChange(link));
    const changed = await run(`UPDATE ${tables.links} SET ${sql} WHERE id = ? AND version = ? RETURNING id`, [
      ...bindings,
      link.id,
      link.version,
    ]);
    return changed.length > 0;
  }
}
