import type { LedgerBreach, LedgerClosing } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Row, Run } from '../../dialects/dialect.ts';
import { integer, integerOrNull, text } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';
import { monthTable } from './posting-months.ts';
import { added, digestOf, storedSums } from './posting-sums.ts';
import type { Sums } from './posting-sums.ts';

type ClosingTables = Pick<Database, 'tables' | 'dialect'>;

export const CLOSING_COLUMNS = 'month, from_at, until_at, postings, digest, closed_at';
/** The hash before the first closing. */
export const NO_CLOSING = '';

/** The closed months, the oldest first. */
export async function closings(run: Run, { tables }: Pick<Database, 'tables'>): Promise<readonly LedgerClosing[]> {
  const rows = await run(`SELECT ${CLOSING_COLUMNS} FROM ${tables.closings} ORDER BY until_at`);
  return rows.map((row) => closingOf(tables, row));
}

/** The closing in a row. */
export const closingOf = (tables: Tables, row: Row): LedgerClosing => ({
  month: text(row, 'month'),
  table: monthTable(tables, text(row, 'month')),
  from: integerOrNull(row, 'from_at'),
  until: integer(row, 'until_at'),
  postings: integer(row, 'postings'),
  digest: text(row, 'digest'),
  closedAt: integer(row, 'closed_at'),
});

/** The sums that a month was closed with. */
export const closedSums = (run: Run, { tables }: Pick<Database, 'tables'>, month: string): Promise<Sums> =>
  storedSums(run, tables.closingSums, 'WHERE month = ?', [month]);

/** The hash of a closing: of its month, its sums, and the closing before it. */
export const closingDigest = (
  former: string,
  { month, from, until, postings }: Pick<LedgerClosing, 'month' | 'from' | 'until' | 'postings'>,
  sums: Sums,
): string => digestOf([former, month, from ?? '', until, postings], sums);

/** The sums of the closed months, and the closings that were changed after they were written. */
export async function readClosings(
  run: Run,
  db: ClosingTables,
): Promise<{ readonly sums: Sums; readonly count: number; readonly breaches: readonly LedgerBreach[] }> {
  let [sums, count, former]: [Sums, number, string] = [new Map(), 0, NO_CLOSING];
  const breaches: LedgerBreach[] = [];
  for (const closing of await closings(run, db)) {
    const month = await closedSums(run, db, closing.month);
    if (closingDigest(former, closing, month) !== closing.digest)
      breaches.push({
        invariant: 'a closing stays as it was written',
        detail: `the closing of ${closing.month}, its sums or the closing before it were changed`,
      });
    sums = added(sums, month);
    count += closing.postings;
    former = closing.digest;
  }
  return { sums, count, breaches };
}

/**
 * Prevents months from being closed and opened until the transaction ends. It must come before the first read: the
 * catalogue shows the currently attached months, the snapshot those closed when it was taken.
 */
export async function lockMonths(run: Run, { tables, dialect }: ClosingTables): Promise<void> {
  if (dialect.partitions) await run(`LOCK TABLE ${tables.postings} IN ACCESS SHARE MODE`);
}
