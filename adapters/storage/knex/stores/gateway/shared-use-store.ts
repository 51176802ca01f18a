import type { AppUseCount, SharedUseExchange, Millis, RouteId, SharedUseStore } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Column } from '../../rows/columns.ts';
import { integer, text } from '../../rows/values.ts';

/**
 * An instance with older usage has no running requests, or is gone. Longer than a statement takes to become visible.
 */
const FRESH_MS = 5_000;
const KEPT_MS = 60_000;

type Shown = AppUseCount & { readonly instance: string; readonly at: number };

const COLUMNS: readonly Column<Shown>[] = [
  { name: 'instance', kind: 'text', of: (use) => use.instance },
  { name: 'app_id', kind: 'text', of: (use) => use.subject },
  { name: 'route_id', kind: 'text', of: (use) => use.routeId },
  { name: 'taken', kind: 'bigint', of: (use) => use.taken },
  { name: 'running', kind: 'bigint', of: (use) => use.running },
  { name: 'shown_at', kind: 'bigint', of: (use) => use.at },
];

/** Usage of Apps and accounts on each instance, in `gateway_uses`. All times are the database's. */
export class SqlSharedUseStore implements SharedUseStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async exchange(instance: string, counts: readonly AppUseCount[], lastAt: Millis | null): Promise<SharedUseExchange> {
    const { tables, dialect } = this.#db;
    if (counts.length > 0) {
      const [clock] = await this.#db.read(`SELECT ${dialect.nowMs} AS now`);
      const now = clock === undefined ? 0 : integer(clock, 'now');
      await this.#show(
        counts.map((count) => ({ ...count, instance, at: now })),
        now,
      );
    }
    // One statement, because it runs twice a second: it returns the time and the usage that others have published by
    // then.
    const rows = await this.#db.read(
      `SELECT c.now, u.instance, u.app_id, u.route_id, u.taken, CASE WHEN u.shown_at > c.now - ? THEN u.running ELSE 0 END AS running
       FROM (SELECT ${dialect.nowMs} AS now) c
       LEFT JOIN ${tables.uses} u ON u.shown_at > c.now - ? AND u.shown_at > CASE WHEN c.now < ? THEN c.now ELSE ? END - ? AND u.instance <> ?`,
      [FRESH_MS, KEPT_MS, lastAt ?? Number.MAX_SAFE_INTEGER, lastAt ?? Number.MAX_SAFE_INTEGER, FRESH_MS, instance],
    );
    const now = rows[0] === undefined ? 0 : integer(rows[0], 'now');
    const uses = rows
      .filter((row) => row['instance'] !== null)
      .map((row) => ({
        instance: text(row, 'instance'),
        subject: text(row, 'app_id'),
        routeId: text(row, 'route_id') as RouteId,
        taken: integer(row, 'taken'),
        running: integer(row, 'running'),
      }));
    return { at: now, uses };
  }

  async #show(shown: readonly Shown[], now: number): Promise<void> {
    const { tables, dialect } = this.#db;
    const { sql, bindings } = dialect.insertList(tables.uses, COLUMNS, shown);
    const set = ['taken', 'running', 'shown_at'].map((name) => `${name} = excluded.${name}`).join(', ');
    await this.#db.write(`${sql} ON CONFLICT (instance, app_id, route_id) DO UPDATE SET ${set}`, bindings);
    await this.#db.write(`DELETE FROM ${tables.uses} WHERE shown_at < ?`, [now - KEPT_MS]);
  }
}
