import type { Binding } from '../binding.ts';
import type { Dialect } from '../dialects/dialect.ts';

/** A part of a statement, with the values that it binds. */
export interface Sql {
  readonly sql: string;
  readonly bindings: readonly Binding[];
}

/** Records of a table with an `id`, newest first, that have one of the given values in each of the given columns. */
export interface RangeList {
  readonly table: string;
  /** The columns that are read. */
  readonly columns: string;
  /** The column of the time by which the list is sorted. */
  readonly time: string;
  /** The columns of the index before the time column, or expressions, with the values to select. */
  readonly among: readonly {
    readonly column: string;
    readonly expression?: string;
    readonly values: readonly string[];
  }[];
  /** The conditions of every range, including bounds of time. */
  readonly bounds: readonly Sql[];
  readonly limit: number;
  /** One more range, with an index of its own: its conditions besides those of every range; `null` for none. */
  readonly apart?: Sql | null;
}

/** SQLite allows 500 queries in one compound statement. */
const MAX_IN_A_ROW = 400;

const newestFirst = (time: string): string => `ORDER BY ${time} DESC, id DESC`;

/**
 * One index range for each combination of values, each limited to the size of the page, so that no row is read that
 * does not match. The full rows are read once it is known which are on the page.
 */
export function rangeListSql(list: RangeList, dialect: Dialect): Sql {
  const { table, columns, time, limit, apart = null, among } = list;
  const ranges = dialect.lateral ? inOnePlan(list, dialect) : oneByOne(list);
  const hasRanges = among.every(({ values }) => values.length > 0);
  const found = apart === null ? ranges : joined([...(hasRanges ? [ranges] : []), rangeApart(list, apart)]);
  const page = `SELECT id FROM (${found.sql}) AS found ${newestFirst(time)} LIMIT ?`;
  return {
    sql: `SELECT ${columns} FROM ${table} WHERE ${dialect.anyFrom('id', page)} ${newestFirst(time)}`,
    bindings: [...found.bindings, limit],
  };
}

function rangeApart({ table, time, bounds, limit }: RangeList, apart: Sql): Sql {
  const { sql, bindings } = allOf([apart, ...bounds]);
  return {
    sql: `SELECT id, ${time} FROM ${table} WHERE ${sql} ${newestFirst(time)} LIMIT ?`,
    bindings: [...bindings, limit],
  };
}

const joined = (queries: readonly Sql[]): Sql => ({
  sql: inARow(queries.map(({ sql }) => `SELECT * FROM (${sql}) AS part`)),
  bindings: queries.flatMap(({ bindings }) => bindings),
});

/** Every combination of one value of each column. */
function combined(among: RangeList['among']): readonly (readonly string[])[] {
  return among.reduce<readonly (readonly string[])[]>(
    (former, { values }) => former.flatMap((begun) => values.map((value) => [...begun, value])),
    [[]],
  );
}

/** The ranges as rows for which one subquery runs: planning a subquery for each takes longer than reading them. */
function inOnePlan({ table, time, among, bounds, limit }: RangeList, dialect: Dialect): Sql {
  const ranges = combined(among);
  const names = among.map(({ column }) => column);
  const { sql, bindings } = allOf([
    ...among.map(({ column, expression = column }) => ({ sql: `${expression} = span.${column}`, bindings: [] })),
    ...bounds,
  ]);
  return {
    sql: `SELECT part.* FROM unnest(${names.map(() => '?::text[]').join(', ')}) AS span (${names.join(', ')})
      CROSS JOIN LATERAL (SELECT id, ${time} FROM ${table} WHERE ${sql} ${newestFirst(time)} LIMIT ?) AS part`,
    bindings: [...names.map((_, at) => dialect.list(ranges.map((range) => range[at] ?? ''))), ...bindings, limit],
  };
}

function oneByOne({ table, time, among, bounds, limit }: RangeList): Sql {
  const parts = combined(among).map((range): Sql => {
    const { sql, bindings } = allOf([
      ...among.map(({ column, expression = column }, at) => ({
        sql: `${expression} = ?`,
        bindings: [range[at] ?? ''],
      })),
      ...bounds,
    ]);
    return {
      sql: `SELECT * FROM (SELECT id, ${time} FROM ${table} WHERE ${sql} ${newestFirst(time)} LIMIT ?) AS part`,
      bindings: [...bindings, limit],
    };
  });
  const rows: string[] = [];
  for (let start = 0; start < parts.length; start += MAX_IN_A_ROW)
    rows.push(inARow(parts.slice(start, start + MAX_IN_A_ROW).map(({ sql }) => sql)));
  const sql =
    rows.length === 1 ? (rows[0] ?? '') : inARow(rows.map((row) => `SELECT * FROM (${row} LIMIT -1) AS part`));
  return { sql, bindings: parts.flatMap(({ bindings }) => bindings) };
}

const inARow = (queries: readonly string[]): string => queries.join(' UNION ALL ');

export function allOf(parts: readonly Sql[]): Sql {
  return { sql: parts.map(({ sql }) => sql).join(' AND '), bindings: parts.flatMap(({ bindings }) => bindings) };
}

/** The bounds of a list by time, and the position after which a page begins. */
export function timeBounds(
  time: string,
  {
    from,
    to,
    after,
  }: {
    readonly from: number | null;
    readonly to: number | null;
    readonly after: { readonly createdAt: number; readonly id: string } | null;
  },
): readonly Sql[] {
  return [
    ...(from === null ? [] : [{ sql: `${time} >= ?`, bindings: [from] }]),
    ...(to === null ? [] : [{ sql: `${time} < ?`, bindings: [to] }]),
    ...(after === null ? [] : [{ sql: `(${time}, id) < (?, ?)`, bindings: [after.createdAt, after.id] }]),
  ];
}
