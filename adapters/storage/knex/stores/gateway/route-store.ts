import type { RouteId, RouteStore, RouteWrites, StoredCordon, StoredRoute } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { ChangePublisher } from '../../change-publisher.ts';
import { assignments, insertion, names } from '../../rows/columns.ts';
import { CORDON_COLUMNS, cordonOf } from '../../rows/cordon-row.ts';
import { ROUTE_COLUMNS, routeOf } from '../../rows/route-row.ts';
import type { Session } from '../../session.ts';
import { isStorable } from '../common.ts';

const ROUTES = names(ROUTE_COLUMNS);
const CORDONS = names(CORDON_COLUMNS);

/** Gateway routes of the database. */
export class SqlRouteStore implements RouteStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async all(): Promise<readonly StoredRoute[]> {
    return (await this.#db.read(`SELECT ${ROUTES} FROM ${this.#db.tables.routes} ORDER BY id`)).map(routeOf);
  }

  async find(id: RouteId): Promise<StoredRoute | null> {
    if (!isStorable(id)) return null;
    const [row] = await this.#db.read(`SELECT ${ROUTES} FROM ${this.#db.tables.routes} WHERE id = ?`, [id]);
    return row === undefined ? null : routeOf(row);
  }

  async cordons(): Promise<readonly StoredCordon[]> {
    return (await this.#db.read(`SELECT ${CORDONS} FROM ${this.#db.tables.cordons} ORDER BY id`)).map(cordonOf);
  }
}

/** Route writes of one transaction, which publishes each. */
export class SqlRouteWrites implements RouteWrites {
  readonly #session: Session;
  readonly #publisher: ChangePublisher;

  constructor(session: Session, publisher: ChangePublisher) {
    this.#session = session;
    this.#publisher = publisher;
  }

  async lock(id: RouteId): Promise<StoredRoute | null> {
    if (!isStorable(id)) return null;
    const { run, tables, dialect } = this.#session;
    const [row] = await run(`SELECT ${ROUTES} FROM ${tables.routes} WHERE id = ? ${dialect.forUpdate}`, [id]);
    return row === undefined ? null : routeOf(row);
  }

  async create(route: StoredRoute): Promise<boolean> {
    const { sql, bindings } = insertion(this.#session.tables.routes, ROUTE_COLUMNS, [route]);
    const created = await this.#session.run(`${sql} ON CONFLICT (host) DO NOTHING RETURNING id`, bindings);
    if (created.length > 0) this.#publisher.add({ kind: 'route', id: route.id });
    return created.length > 0;
  }

  async replace(route: StoredRoute): Promise<boolean> {
    const { run, tables } = this.#session;
    // Two changes to the same host run one after another.
    await this.#lockFeed();
    const taken = await run(`SELECT id FROM ${tables.routes} WHERE host = ? AND id <> ?`, [route.host, route.id]);
    if (taken.length > 0) return false;
    const { sql, bindings } = assignments(ROUTE_COLUMNS.map(({ name, of }) => [name, of(route)]));
    await run(`UPDATE ${tables.routes} SET ${sql} WHERE id = ?`, [...bindings, route.id]);
    this.#publisher.add({ kind: 'route', id: route.id });
    return true;
  }

  async lockCordons(id: RouteId): Promise<readonly StoredCordon[]> {
    const { run, tables } = this.#session;
    await this.#lockFeed();
    if (!isStorable(id)) return [];
    return (await run(`SELECT ${CORDONS} FROM ${tables.cordons} WHERE route_id = ? ORDER BY id`, [id])).map(cordonOf);
  }

  async addCordon(cordon: StoredCordon): Promise<void> {
    const { sql, bindings } = insertion(this.#session.tables.cordons, CORDON_COLUMNS, [cordon]);
    await this.#session.run(sql, bindings);
    this.#publisher.add({ kind: 'route', id: cordon.routeId });
  }

  async removeCordon({ id, routeId }: Pick<StoredCordon, 'id' | 'routeId'>): Promise<void> {
    const { run, tables } = this.#session;
    await run(`DELETE FROM ${tables.cordons} WHERE id = ?`, [id]);
    this.#publisher.add({ kind: 'route', id: routeId });
  }

  /** The row that every change of a route takes last. */
  async #lockFeed(): Promise<void> {
    const { run, tables, dialect } = this.#session;
    await run(`SELECT version FROM ${tables.feed} WHERE id = 1 ${dialect.forUpdate}`);
  }
}
