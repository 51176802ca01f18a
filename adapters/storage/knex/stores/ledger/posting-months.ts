import { isTillgateError } from '../../../../../core/index.ts';
import type { Millis } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import { StatementError } from '../../errors.ts';
import type { Run } from '../../dialects/dialect.ts';
import { integer, integerOrNull, text, textOrNull } from '../../rows/values.ts';
import type { Namespace, Tables } from '../../tables.ts';

/** Months that have a partition in advance, including the current one. */
const MONTHS_AHEAD = 3;
/**
 * A change of partitions gives up before credits have waited for long, and before the database looks for a deadlock (1
 * s).
 */
export const LOCK_TIMEOUT = `SET LOCAL lock_timeout = '900ms'`;

/** A month of postings, in UTC. */
export interface PostingMonth {
  /** The month, `2026-01`; the last one where several months are one partition. */
  readonly name: string;
  /** `null` for the partition of everything older. */
  readonly from: Millis | null;
  readonly until: Millis;
}

/** The month of a time, or the month this many months later. */
export function monthAt(at: Millis, later = 0): PostingMonth & { readonly from: Millis } {
  const date = new Date(at);
  const start = (months: number): Millis => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
  return { name: new Date(start(later)).toISOString().slice(0, 7), from: start(later), until: start(later + 1) };
}

const suffix = (name: string): string => name.replace('-', '_');

export const monthTable = ({ postings }: Tables, name: string): string => `${postings}_${suffix(name)}`;
/** The default partition, for postings of months without one, so that a wrong clock makes no credit fail. */
export const restTable = ({ postings }: Tables): string => `${postings}_rest`;

export const attachMonth = (run: Run, tables: Tables, { name, from, until }: PostingMonth): Promise<unknown> =>
  run(
    `ALTER TABLE ${tables.postings} ATTACH PARTITION ${monthTable(tables, name)}
     FOR VALUES FROM (${from === null ? 'MINVALUE' : `'${from}'`}) TO ('${until}')`,
  );

/** The attached months, the oldest first. */
export async function attachedMonths(run: Run, { postings }: Tables): Promise<readonly PostingMonth[]> {
  const rows = await run(
    `SELECT right(c.relname, 7) AS name, bounds[1] AS lower, bounds[2] AS upper
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid,
       regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''*(MINVALUE|-*[0-9]+)''*\\) TO \\(''([0-9]+)''\\)') AS bounds
     WHERE i.inhparent = to_regclass('${postings}') AND bounds IS NOT NULL ORDER BY bounds[2]::bigint`,
  );
  return rows.map((row) => ({
    name: text(row, 'name').replace('_', '-'),
    from: textOrNull(row, 'lower') === 'MINVALUE' ? null : Number(row['lower']),
    until: Number(row['upper']),
  }));
}

/**
 * Creates missing partitions for this month and the next ones.
 *
 * @returns months that cannot have a partition, because some of their postings are in the default partition: they are
 * in every sum
 *   and list, and are never closed
 */
export async function makePostingMonths(db: Database, now: Millis): Promise<readonly string[]> {
  if (!db.dialect.partitions) return [];
  if ((await missingMonths(db.read, db.tables, now)).length === 0) return [];
  try {
    return await makeMissing(db, now);
  } catch (error) {
    // A long read holds the lock. The months are created in advance, so the next attempt is in time.
    if (isBusy(error)) return [];
    throw error;
  }
}

function makeMissing(db: Database, now: Millis): Promise<readonly string[]> {
  const { tables } = db;
  return db.transaction(async ({ run }) => {
    await lockEntries(run, tables);
    const occupied: string[] = [];
    for (const month of await missingMonths(run, tables, now)) {
      const [found] = await run(
        `SELECT 1 AS found FROM ${restTable(tables)} WHERE booked_at >= ? AND booked_at < ? LIMIT 1`,
        [month.from ?? 0, month.until],
      );
      if (found === undefined) await makeMonth(run, db, month);
      else occupied.push(month.name);
    }
    return occupied;
  });
}

/** Runs {@link makePostingMonths} at the start, with the database's time. */
export async function makeFirstMonths(db: Database): Promise<void> {
  if (!db.dialect.partitions) return;
  const [row = {}] = await db.read(`SELECT ${db.dialect.nowMs} AS now`);
  await makePostingMonths(db, integer(row, 'now'));
}

/** Whether an error means that a lock was not available in time. */
export const isBusy = (error: unknown): boolean =>
  isTillgateError(error, 'NOT_READY') && error.cause instanceof StatementError && error.cause.failure.code === '55P03';

/**
 * The current and coming months that have no partition. If the clock went back, no partition is made for a closed
 * month. The first partition of a new database holds everything older too.
 */
async function missingMonths(run: Run, tables: Tables, now: Millis): Promise<readonly PostingMonth[]> {
  const attached = await attachedMonths(run, tables);
  const [closed = {}] = await run(`SELECT max(until_at) AS until FROM ${tables.closings}`);
  const after = integerOrNull(closed, 'until') ?? -Infinity;
  const missing: readonly PostingMonth[] = Array.from({ length: MONTHS_AHEAD }, (_, later) =>
    monthAt(now, later),
  ).filter(
    (month) =>
      month.from >= after &&
      !attached.some(({ from, until }) => (from ?? -Infinity) < month.until && month.from < until),
  );
  const isNew = attached.length === 0 && after === -Infinity;
  return missing.map((month, at) => (isNew && at === 0 ? { ...month, from: null } : month));
}

/**
 * The first lock for a change of partitions. Attaching and detaching also lock the entries, for the foreign key, and a
 * booking locks them before the postings: in the other order the two could wait for each other.
 */
export async function lockEntries(run: Run, { entries }: Tables): Promise<void> {
  await run(LOCK_TIMEOUT);
  await run(`LOCK TABLE ${entries} IN SHARE ROW EXCLUSIVE MODE`);
}

/** Created beside the table and then attached: creating it as a partition would block every reader. */
async function makeMonth(run: Run, { namespace }: Pick<Database, 'namespace'>, month: PostingMonth): Promise<void> {
  const { tables, bare } = namespace;
  const table = monthTable(tables, month.name);
  await run(`CREATE TABLE ${table} (LIKE ${tables.postings} INCLUDING DEFAULTS, PRIMARY KEY (entry_id, line))`);
  for (const [index, columns] of [
    ['listed', 'account, booked_at, entry_id, line'],
    ['all', 'booked_at, entry_id, line'],
  ])
    await run(`CREATE INDEX ${bare.postings}_${index}_${suffix(month.name)} ON ${table} (${columns})`);
  await guardMonth(run, namespace, month.name);
  await attachMonth(run, tables, month);
}

/**
 * Refuses changes and deletions by statements that name the table of a month, which bypass the triggers of the whole
 * table.
 */
export async function guardMonth(run: Run, { tables, bare }: Namespace, name: string): Promise<void> {
  const [table, trigger] = [monthTable(tables, name), `${bare.postings}_append_only`];
  await run(`DROP TRIGGER IF EXISTS ${trigger} ON ${table}`);
  await run(
    `CREATE TRIGGER ${trigger} BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
     FOR EACH STATEMENT EXECUTE FUNCTION ${tables.postings}_refuse_change()`,
  );
}
