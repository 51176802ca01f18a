import type {
  AppId,
  AppKeyId,
  GateOffer,
  GateOfferView,
  GateTaking,
  Millis,
  OrderId,
  OrderStatus,
  PrepaidStore,
  PrepaidUnits,
  PrepaidWrites,
  Purchase,
  PurchaseState,
  PurchaseView,
} from '../../../../../core/index.ts';
import type { ChangePublisher } from '../../change-publisher.ts';
import type { Database } from '../../database.ts';
import type { Row } from '../../dialects/dialect.ts';
import { integer, text, textOrNull } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import { isStorable } from '../common.ts';

const UNITS = 'app_id, token, bought, used';

const unitsOf = (row: Row): PrepaidUnits => ({
  appId: text(row, 'app_id') as AppId,
  token: text(row, 'token'),
  bought: integer(row, 'bought'),
  used: integer(row, 'used'),
});

function gateOfferOf(row: Row): GateOfferView {
  const appId = textOrNull(row, 'app_id');
  return {
    orderId: text(row, 'order_id') as OrderId,
    plan: text(row, 'plan'),
    units: integer(row, 'units'),
    createdAt: integer(row, 'created_at'),
    taken:
      appId === null
        ? null
        : {
            appId: appId as AppId,
            keyId: textOrNull(row, 'key_id') as AppKeyId | null,
            ticketHash: text(row, 'ticket_hash'),
          },
    state: textOrNull(row, 'state') as PurchaseState | null,
  };
}

/** The units that Apps bought, in `prepaid_units` and `prepaid_purchases`. */
export class SqlPrepaidStore implements PrepaidStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  find(appId: AppId): Promise<PrepaidUnits | null> {
    return this.#one('app_id', appId);
  }

  findByToken(token: string): Promise<PrepaidUnits | null> {
    return this.#one('token', token);
  }

  async ofApps(apps: readonly AppId[]): Promise<readonly PrepaidUnits[]> {
    const { tables, dialect } = this.#db;
    const rows = await this.#db.read(`SELECT ${UNITS} FROM ${tables.prepaidUnits} WHERE ${dialect.anyOf('app_id')}`, [
      dialect.list(apps),
    ]);
    return rows.map(unitsOf);
  }

  async countOpen(appId: AppId, since: Millis): Promise<number> {
    const [row] = await this.#db.read(
      `SELECT count(*) AS total FROM ${this.#db.tables.purchases} WHERE app_id = ? AND created_at >= ? AND state = 'OPEN'`,
      [appId, since],
    );
    return row === undefined ? 0 : integer(row, 'total');
  }

  async purchases(appId: AppId, limit: number): Promise<readonly PurchaseView[]> {
    const { tables } = this.#db;
    const rows = await this.#db.read(
      `SELECT p.order_id, p.app_id, p.plan, p.units, p.state, p.created_at, o.status
       FROM ${tables.purchases} p JOIN ${tables.orders} o ON o.id = p.order_id
       WHERE p.app_id = ? ORDER BY p.created_at DESC, p.order_id DESC LIMIT ?`,
      [appId, limit],
    );
    return rows.map((row) => ({
      orderId: text(row, 'order_id') as OrderId,
      appId: text(row, 'app_id') as AppId,
      plan: text(row, 'plan'),
      units: integer(row, 'units'),
      state: text(row, 'state') as PurchaseState,
      createdAt: integer(row, 'created_at'),
      orderStatus: text(row, 'status') as OrderStatus,
    }));
  }

  async gateOffer(orderId: OrderId): Promise<GateOfferView | null> {
    if (!isStorable(orderId)) return null;
    const { tables } = this.#db;
    const [row] = await this.#db.read(
      `SELECT g.order_id, g.plan, g.units, g.created_at, g.app_id, g.key_id, g.ticket_hash, p.state
       FROM ${tables.gateOffers} g LEFT JOIN ${tables.purchases} p ON p.order_id = g.order_id WHERE g.order_id = ?`,
      [orderId],
    );
    return row === undefined ? null : gateOfferOf(row);
  }

  async #one(column: 'app_id' | 'token', value: string): Promise<PrepaidUnits | null> {
    if (!isStorable(value)) return null;
    const [row] = await this.#db.read(`SELECT ${UNITS} FROM ${this.#db.tables.prepaidUnits} WHERE ${column} = ?`, [
      value,
    ]);
    return row === undefined ? null : unitsOf(row);
  }
}

/**
 * Purchases of one transaction. A credit is published as a change of its App, so that gateways read the new remainder.
 */
export class SqlPrepaidWrites implements PrepaidWrites {
  readonly #session: Session;
  readonly #publisher: ChangePublisher;

  constructor(session: Session, publisher: ChangePublisher) {
    this.#session = session;
    this.#publisher = publisher;
  }

  async open(appId: AppId, token: string): Promise<void> {
    const { run, tables } = this.#session;
    await run(`INSERT INTO ${tables.prepaidUnits} (app_id, token) VALUES (?, ?) ON CONFLICT (app_id) DO NOTHING`, [
      appId,
      token,
    ]);
  }

  async add({ orderId, appId, plan, units, createdAt }: Omit<Purchase, 'state'>): Promise<void> {
    const { run, tables } = this.#session;
    await run(
      `INSERT INTO ${tables.purchases} (order_id, app_id, plan, units, created_at, state) VALUES (?, ?, ?, ?, ?, 'OPEN')`,
      [orderId, appId, plan, units, createdAt],
    );
  }

  async addGateOffer({ orderId, plan, units, createdAt }: GateOffer): Promise<void> {
    const { run, tables } = this.#session;
    await run(`INSERT INTO ${tables.gateOffers} (order_id, plan, units, created_at) VALUES (?, ?, ?, ?)`, [
      orderId,
      plan,
      units,
      createdAt,
    ]);
  }

  async takeGateOffer(orderId: OrderId, { appId, keyId, ticketHash }: GateTaking): Promise<boolean> {
    const { run, tables } = this.#session;
    const taken = await run(
      `UPDATE ${tables.gateOffers} SET app_id = ?, key_id = ?, ticket_hash = ?
       WHERE order_id = ? AND app_id IS NULL RETURNING order_id`,
      [appId, keyId, ticketHash, orderId],
    );
    return taken.length > 0;
  }

  async isPayingAtGate(appId: AppId, since: Millis): Promise<boolean> {
    const { run, tables } = this.#session;
    const found = await run(
      `SELECT g.order_id FROM ${tables.gateOffers} g
       JOIN ${tables.purchases} p ON p.order_id = g.order_id AND p.state = 'OPEN'
       JOIN ${tables.transfers} t ON t.order_id = g.order_id AND t.authorization_key IS NOT NULL AND t.status <> 'FAILED'
       WHERE g.app_id = ? AND g.created_at >= ? LIMIT 1`,
      [appId, since],
    );
    return found.length > 0;
  }

  credit(orderId: OrderId): Promise<void> {
    return this.#move(orderId, 'OPEN', 'CREDITED', '+');
  }

  takeBack(orderId: OrderId): Promise<void> {
    return this.#move(orderId, 'CREDITED', 'TAKEN_BACK', '-');
  }

  async #move(orderId: OrderId, from: PurchaseState, to: PurchaseState, sign: '+' | '-'): Promise<void> {
    const { run, tables } = this.#session;
    const [row] = await run(
      `UPDATE ${tables.purchases} SET state = ? WHERE order_id = ? AND state = ? RETURNING app_id, units`,
      [to, orderId, from],
    );
    if (row === undefined) return;
    const appId = text(row, 'app_id') as AppId;
    await run(`UPDATE ${tables.prepaidUnits} SET bought = bought ${sign} ? WHERE app_id = ?`, [
      integer(row, 'units'),
      appId,
    ]);
    this.#publisher.add({ kind: 'app', id: appId });
  }
}
