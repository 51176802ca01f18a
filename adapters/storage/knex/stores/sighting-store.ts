import type { ChainCode, Millis, OrderId, Sighting, SightedTransfer, SightingStatus, SightingStore, SightingWrites } from '../../../../core/index.ts';
import type { Database } from '../database.ts';
import { insertion, names } from '../rows/columns.ts';
import { SIGHTING_COLUMNS, sightingOf } from '../rows/sighting-row.ts';
import type { Session } from '../session.ts';

const COLUMNS = names(SIGHTING_COLUMNS);
const TRANSFER = 'chain = ? AND txid = ? AND tx_index = ?';
/** As the partial index says it. */
const LIVE = "status <> 'GONE'";
const IN_ORDER = 'ORDER BY seen_at, txid, tx_index';

/** What was seen before it was mined, in `sightings`. */
export class KnexSightingStore implements SightingStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async ofChain(chain: ChainCode): Promise<readonly Sighting[]> {
    return (await this.#db.read(`SELECT ${COLUMNS} FROM ${this.#db.tables.sightings} WHERE chain = ? ${IN_ORDER}`, [chain])).map(sightingOf);
  }

  async live(orderIds: readonly OrderId[]): Promise<readonly Sighting[]> {
    if (orderIds.length === 0) return [];
    const { tables, dialect } = this.#db;
    const sql = `SELECT ${COLUMNS} FROM ${tables.sightings} WHERE ${dialect.anyOf('order_id')} AND ${LIVE} ${IN_ORDER}`;
    return (await this.#db.read(sql, [dialect.list(orderIds)])).map(sightingOf);
  }
}

/** Writes of sightings in one transaction. */
export class KnexSightingWrites implements SightingWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async add(sighting: Sighting): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.sightings, SIGHTING_COLUMNS, [sighting]);
    return (await run(`${sql} ON CONFLICT (chain, txid, tx_index) DO NOTHING RETURNING txid`, bindings)).length > 0;
  }

  async take({ chain, txid, index }: SightedTransfer): Promise<Sighting | null> {
    const { run, tables } = this.#session;
    const [row] = await run(`DELETE FROM ${tables.sightings} WHERE ${TRANSFER} RETURNING ${COLUMNS}`, [chain, txid, index]);
    return row === undefined ? null : sightingOf(row);
  }

  async move({ chain, txid, index }: SightedTransfer, from: SightingStatus, to: SightingStatus, at: Millis): Promise<boolean> {
    const { run, tables } = this.#session;
    const sql = `UPDATE ${tables.sightings} SET status = ?, since = ? WHERE ${TRANSFER} AND status = ? RETURNING txid`;
    return (await run(sql, [to, at, chain, txid, index, from])).length > 0;
  }

  async live(orderId: OrderId): Promise<readonly Sighting[]> {
    const { run, tables } = this.#session;
    return (await run(`SELECT ${COLUMNS} FROM ${tables.sightings} WHERE order_id = ? AND ${LIVE} ${IN_ORDER}`, [orderId])).map(sightingOf);
  }

  async forget(chain: ChainCode, before: Millis): Promise<void> {
    const { run, tables } = this.#session;
    await run(`DELETE FROM ${tables.sightings} WHERE chain = ? AND status = 'GONE' AND since < ?`, [chain, before]);
  }
}
