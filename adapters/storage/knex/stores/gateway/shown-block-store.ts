import type { RouteId, ShownBlockReport, ShownBlockStore } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Column } from '../../rows/columns.ts';
import { flag, integer, text } from '../../rows/values.ts';

/** Longer than two exchanges of every instance, and than a statement takes to become visible. */
const FRESH_MS = 5_000;
const KEPT_MS = 60_000;

type Row = ShownBlockReport & { readonly instance: string; readonly at: number };

const COLUMNS: readonly Column<Row>[] = [
  { name: 'instance', kind: 'text', of: (row) => row.instance },
  { name: 'route_id', kind: 'text', of: (row) => row.routeId },
  { name: 'seed', kind: 'bigint', of: (row) => row.seed },
  { name: 'block', kind: 'bigint', of: (row) => row.block },
  { name: 'was_left', kind: 'boolean', of: (row) => row.left },
  { name: 'shown_at', kind: 'bigint', of: (row) => row.at },
];

/** The blocks that each instance has answered, in `gateway_shown_blocks`. All times are the database's. */
export class SqlShownBlockStore implements ShownBlockStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async exchange(instance: string, reports: readonly ShownBlockReport[]): Promise<readonly ShownBlockReport[]> {
    const { tables, dialect } = this.#db;
    if (reports.length > 0) await this.#publish(instance, reports);
    const rows = await this.#db.read(
      `SELECT route_id, seed, block, was_left FROM ${tables.shownBlocks} WHERE shown_at > ${dialect.nowMs} - ? AND instance <> ?`,
      [FRESH_MS, instance],
    );
    return rows.map((row) => ({
      routeId: text(row, 'route_id') as RouteId,
      seed: integer(row, 'seed'),
      block: integer(row, 'block'),
      left: flag(row, 'was_left'),
    }));
  }

  async #publish(instance: string, reports: readonly ShownBlockReport[]): Promise<void> {
    const { tables, dialect } = this.#db;
    const [clock] = await this.#db.read(`SELECT ${dialect.nowMs} AS now`);
    const at = clock === undefined ? 0 : integer(clock, 'now');
    const rows = reports.map((report) => ({ ...report, instance, at }));
    const { sql, bindings } = dialect.insertList(tables.shownBlocks, COLUMNS, rows);
    const set = ['block', 'was_left', 'shown_at'].map((name) => `${name} = excluded.${name}`).join(', ');
    await this.#db.write(`${sql} ON CONFLICT (instance, route_id, seed) DO UPDATE SET ${set}`, bindings);
    await this.#db.write(`DELETE FROM ${tables.shownBlocks} WHERE shown_at < ?`, [at - KEPT_MS]);
  }
}
