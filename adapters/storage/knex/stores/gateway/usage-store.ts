import { DAY_MS, startOfDay } from '../../../../../core/index.ts';
import type {
  AppId,
  Millis,
  UsageBatch,
  UsageGroup,
  UsageQuery,
  UsageRow,
  UsageStore,
  UsageSum,
  WindowUnits,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Run } from '../../dialects/dialect.ts';
import type { Column } from '../../rows/columns.ts';
import { integer, integerOrNull, text, textOrNull } from '../../rows/values.ts';
import { deleteSome } from '../common.ts';

const APPS_AT_ONCE = 200;
const COUNTS = ['requests', 'units', 'errors', 'bytes_in', 'bytes_out'] as const;

const COLUMNS: readonly Column<UsageRow>[] = [
  { name: 'app_id', kind: 'text', of: (row) => row.appId },
  { name: 'hour', kind: 'bigint', of: (row) => row.hour },
  { name: 'route', kind: 'text', of: (row) => row.route },
  { name: 'method', kind: 'text', of: (row) => row.method },
  { name: 'requests', kind: 'bigint', of: (row) => row.requests },
  { name: 'units', kind: 'bigint', of: (row) => row.units },
  { name: 'errors', kind: 'bigint', of: (row) => row.errors },
  { name: 'bytes_in', kind: 'bigint', of: (row) => row.bytesIn },
  { name: 'bytes_out', kind: 'bigint', of: (row) => row.bytesOut },
];

interface DayUnits {
  readonly appId: AppId;
  readonly day: Millis;
  readonly units: number;
}

const DAY_COLUMNS: readonly Column<DayUnits>[] = [
  { name: 'app_id', kind: 'text', of: (row) => row.appId },
  { name: 'day', kind: 'bigint', of: (row) => row.day },
  { name: 'units', kind: 'bigint', of: (row) => row.units },
];

/** The expression by which rows are grouped, and the name of the group in a sum. */
const GROUPS: Readonly<Record<UsageGroup, { readonly of: string; readonly as: 'at' | 'route' | 'method' }>> = {
  hour: { of: 'hour', as: 'at' },
  day: { of: `hour - hour % ${DAY_MS}`, as: 'at' },
  route: { of: 'route', as: 'route' },
  method: { of: 'method', as: 'method' },
};

/** The usage of Apps, in `gateway_usage` by hour and in `gateway_usage_days` by day. */
export class SqlUsageStore implements UsageStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async add({ instance, number, rows }: UsageBatch): Promise<void> {
    const { tables, dialect } = this.#db;
    await this.#db.transaction(async ({ run }) => {
      // Waits for an earlier attempt that is still being committed, and finds what it stored.
      const [first] = await run(
        `INSERT INTO ${tables.usageBatches} AS b (instance, number, added_at) VALUES (?, ?, ${dialect.nowMs})
         ON CONFLICT (instance) DO UPDATE SET number = excluded.number, added_at = excluded.added_at
         WHERE b.number < excluded.number RETURNING number`,
        [instance, number],
      );
      if (first === undefined) return;
      await this.#increase(run, tables.usage, COLUMNS, inOrder(rows, hourKey), COUNTS);
      await this.#increase(run, tables.usageDays, DAY_COLUMNS, inOrder(byDay(rows), dayKey), ['units']);
      await this.#usePrepaid(run, byApp(rows));
    });
  }

  async sum({ appId, from, to, by }: UsageQuery): Promise<readonly UsageSum[]> {
    const { of, as } = GROUPS[by];
    const sums = COUNTS.map((name) => `sum(${name}) AS ${name}`).join(', ');
    const rows = await this.#db.read(
      `SELECT ${of} AS ${as}, ${sums} FROM ${this.#db.tables.usage}
       WHERE app_id = ? AND hour >= ? AND hour < ? GROUP BY ${of} ORDER BY ${of}`,
      [appId, from, to],
    );
    return rows.map((row) => ({
      at: integerOrNull(row, 'at'),
      route: textOrNull(row, 'route'),
      method: textOrNull(row, 'method'),
      requests: integer(row, 'requests'),
      units: integer(row, 'units'),
      errors: integer(row, 'errors'),
      bytesIn: integer(row, 'bytes_in'),
      bytesOut: integer(row, 'bytes_out'),
    }));
  }

  async windowUnits(apps: readonly AppId[], day: Millis, month: Millis): Promise<readonly WindowUnits[]> {
    const { tables, dialect } = this.#db;
    const rows = await this.#db.read(
      `SELECT app_id, sum(CASE WHEN day >= ? THEN units ELSE 0 END) AS of_day, sum(units) AS of_month FROM ${tables.usageDays}
       WHERE ${dialect.anyOf('app_id')} AND day >= ? GROUP BY app_id`,
      [day, dialect.list(apps), month],
    );
    return rows.map((row) => ({
      appId: text(row, 'app_id') as AppId,
      day: integer(row, 'of_day'),
      month: integer(row, 'of_month'),
    }));
  }

  async prune(before: Millis, limit: number): Promise<number> {
    const { usage, usageDays, usageBatches } = this.#db.tables;
    const hours = await deleteSome(this.#db, usage, ['app_id', 'hour', 'route', 'method'], 'hour < ?', [before], limit);
    const days = await deleteSome(this.#db, usageDays, ['app_id', 'day'], 'day < ?', [startOfDay(before)], limit);
    const batches = await deleteSome(this.#db, usageBatches, ['instance'], 'added_at < ?', [before], limit);
    return hours + days + batches;
  }

  /** Adds to the units that prepaid Apps have used. */
  async #usePrepaid(run: Run, units: ReadonlyMap<AppId, number>): Promise<void> {
    const { tables, dialect } = this.#db;
    if (units.size === 0) return;
    const rows = await run(
      `SELECT app_id FROM ${tables.prepaidUnits} WHERE ${dialect.anyOf('app_id')}
       AND app_id IN (SELECT id FROM ${tables.apps} WHERE prepaid = ?) ORDER BY app_id ${dialect.forUpdate}`,
      [dialect.list([...units.keys()]), true],
    );
    const apps = rows.map((row) => text(row, 'app_id') as AppId);
    for (let start = 0; start < apps.length; start += APPS_AT_ONCE) {
      const some = apps.slice(start, start + APPS_AT_ONCE);
      const used = some.map(() => 'WHEN ? THEN CAST(? AS bigint)').join(' ');
      await run(
        `UPDATE ${tables.prepaidUnits} SET used = used + CASE app_id ${used} END WHERE ${dialect.anyOf('app_id')}`,
        [...some.flatMap((app) => [app, units.get(app) ?? 0]), dialect.list(some)],
      );
    }
  }

  /** Adds counts to the existing rows and stores the others. */
  async #increase<T>(
    run: Run,
    table: string,
    columns: readonly Column<T>[],
    rows: readonly T[],
    counts: readonly string[],
  ): Promise<void> {
    const { sql, bindings } = this.#db.dialect.insertList(`${table} AS u`, columns, rows);
    const key = columns.map(({ name }) => name).filter((name) => !counts.includes(name));
    const sums = counts.map((name) => `${name} = u.${name} + excluded.${name}`);
    await run(`${sql} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${sums.join(', ')}`, bindings);
  }
}

const hourKey = ({ appId, hour, route, method }: UsageRow): string => `${appId} ${hour} ${route} ${method}`;
const dayKey = ({ appId, day }: DayUnits): string => `${appId} ${day}`;

/** Instances lock the same rows in the same order, so that they cannot deadlock. */
function inOrder<T>(rows: readonly T[], key: (row: T) => string): readonly T[] {
  return rows
    .map((row) => ({ row, name: key(row) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ row }) => row);
}

function byDay(rows: readonly UsageRow[]): readonly DayUnits[] {
  const days = new Map<string, { appId: AppId; day: Millis; units: number }>();
  for (const { appId, hour, units } of rows) {
    const day = startOfDay(hour);
    const name = `${appId} ${day}`;
    const found = days.get(name);
    if (found === undefined) days.set(name, { appId, day, units });
    else found.units += units;
  }
  return [...days.values()];
}

/** The units of each App's calls together, for Apps that used any. */
function byApp(rows: readonly UsageRow[]): ReadonlyMap<AppId, number> {
  const apps = new Map<AppId, number>();
  for (const { appId, units } of rows) if (units > 0) apps.set(appId, (apps.get(appId) ?? 0) + units);
  return apps;
}
