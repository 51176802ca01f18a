import type { AppUseCount, SharedUseExchange, Millis, RouteId, SharedUseStore } from '../../../../core/index.ts';
import type { Database } from '../database.ts';
import type { Column } from '../rows/columns.ts';
import { integer, text } from '../rows/values.ts';

/** An instance whose usage is older has no requests running, or is gone. Longer than a statement may take to become visible. */
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
export class KnexSharedUseStore implements SharedUseStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async exchange(instance: string, counts: readonly AppUseCount[], lastAt: Millis | null): Promise<SharedUseExchange> {
    const { tables, dialect } = this.#db;
    const [clock] = await this.#db.read(`SELECT ${dialect.nowMs} AS now`);
    const now = clock === undefined ? 0 : integer(clock, 'now');
    if (counts.length > 0)
      await this.#show(
        counts.map((count) => ({ ...count, instance, at: now })),
        now,
      );
    const freshAfter = now - FRESH_MS;
    const after = Math.max(now - KEPT_MS, Math.min(now, lastAt ?? now) - FRESH_MS);
    const rows = await this.#db.read(
      `SELECT instance, app_id, route_id, taken, CASE WHEN shown_at > ? THEN running ELSE 0 END AS running FROM ${tables.uses} WHERE shown_at > ? AND instance <> ?`,
      [freshAfter, after, instance],
    );
    const uses = rows.map((row) => ({
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
