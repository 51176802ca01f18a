import { createHash } from 'node:crypto';
import type { Database } from '../../database.ts';
import type { Dialect, Row, Run } from '../../dialects/dialect.ts';
import { integer, text, units, unitsOfParts } from '../../rows/values.ts';

const SUMS_AT_ONCE = 300;

/** Sums of postings by account and currency, which are separated by a space. */
export type Sums = ReadonlyMap<string, bigint>;

/** The exact sum of the postings of a group, as columns that {@link sumOf} reads. */
export const sumColumns = (dialect: Dialect): string =>
  dialect
    .sumParts('units')
    .map((sum, part) => `${sum} AS sum${part}`)
    .join(', ');
/** The exact sum of a row of {@link sumColumns}. */
export const sumOf = (row: Row): bigint => unitsOfParts(row, 'sum');

const keyOf = (row: Row): string => `${text(row, 'account')} ${text(row, 'currency')}`;

/** The account and currency of a sum, for a report. */
export const inWords = (key: string): string => key.replace(' ', ' in ');

/** Sums that are stored as rows. */
export async function storedSums(run: Run, table: string, where = '', bindings: readonly string[] = []): Promise<Sums> {
  const rows = await run(`SELECT account, currency, units FROM ${table} ${where}`, bindings);
  return new Map(rows.map((row) => [keyOf(row), units(row, 'units')]));
}

/** Adds up the rows of a table. */
export async function sumsOf(
  run: Run,
  { dialect }: Pick<Database, 'dialect'>,
  table: string,
  where = '',
): Promise<{ readonly sums: Sums; readonly count: number }> {
  const rows = await run(
    `SELECT account, currency, count(*) AS records, ${sumColumns(dialect)} FROM ${table} ${where} GROUP BY account, currency`,
  );
  return {
    sums: new Map(rows.map((row) => [keyOf(row), sumOf(row)])),
    count: rows.reduce((sum, row) => sum + integer(row, 'records'), 0),
  };
}

/**
 * Stores sums, in chunks because a statement has a limited number of values. @param more - columns before those of a
 * sum
 */
export async function storeSums(run: Run, { table, sums, more = {}, conflict = '' }: SumRows): Promise<void> {
  const columns = [...Object.keys(more), 'account', 'currency', 'units'];
  const place = `(${columns.map(() => '?').join(', ')})`;
  for (let from = 0; from < sums.length; from += SUMS_AT_ONCE) {
    const part = sums.slice(from, from + SUMS_AT_ONCE);
    await run(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${part.map(() => place).join(', ')} ${conflict}`,
      part.flatMap(([key, sum]) => {
        const at = key.indexOf(' ');
        return [...Object.values(more), key.slice(0, at), key.slice(at + 1), String(sum)];
      }),
    );
  }
}

interface SumRows {
  readonly table: string;
  readonly sums: readonly (readonly [string, bigint])[];
  readonly more?: Readonly<Record<string, string>>;
  readonly conflict?: string;
}

export function added(a: Sums, b: Sums, sign = 1n): Sums {
  const sums = new Map(a);
  for (const [key, sum] of b) sums.set(key, (sums.get(key) ?? 0n) + sign * sum);
  return sums;
}

/** Accounts whose sums differ, with the difference. */
export const differences = (a: Sums, b: Sums): readonly (readonly [string, bigint])[] =>
  [...added(a, b, -1n)].filter(([, sum]) => sum !== 0n).slice(0, SUMS_AT_ONCE);

/** The hash of sums and of the text before them. */
export function digestOf(head: readonly (string | number)[], sums: Sums): string {
  const lines = [...sums].filter(([, sum]) => sum !== 0n).map(([key, sum]) => `${key} ${sum}`);
  return createHash('sha256')
    .update([...head, ...lines.sort()].join('\n'))
    .digest('hex');
}
