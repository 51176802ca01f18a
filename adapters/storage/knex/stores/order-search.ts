import type { AccountId, CurrencyCode, OrderSearch, OrderStatus, OrderTraces } from '../../../../core/index.ts';
import type { Binding } from '../binding.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { names } from '../rows/columns.ts';
import { ORDER_COLUMNS } from '../rows/order-row.ts';
import type { Tables } from '../tables.ts';
import { isStorable } from './common.ts';

/** A part of a statement, with the values that it binds. */
interface Sql {
  readonly sql: string;
  readonly bindings: readonly Binding[];
}

const NEWEST_FIRST = 'ORDER BY created_at DESC, id DESC';

/** The statement of a search; `null` for one that no row can match. */
export function orderSearchSql(tables: Tables, dialect: Dialect, search: OrderSearch): Sql | null {
  const { traces } = search;
  if (traces === null) return listed(tables, dialect, search);
  return isStorable(traces.text) ? traced(tables, dialect, search, traces) : null;
}

/**
 * One index range for each status and coin, and no more of each than the page has: whatever is asked for, no row is read that
 * does not match. The rows themselves are read once it is known which are on the page.
 */
function listed({ orders }: Tables, dialect: Dialect, search: OrderSearch): Sql {
  const ranges = search.statuses.flatMap((status) =>
    (search.currencies ?? [null]).map((currency): Range => ({ status, currency })),
  );
  const found = dialect.lateral ? inOnePlan(orders, dialect, search, ranges) : oneByOne(orders, search, ranges);
  const page = `SELECT id FROM (${found.sql}) AS found ${NEWEST_FIRST} LIMIT ?`;
  return {
    sql: `SELECT ${names(ORDER_COLUMNS)} FROM ${orders} WHERE ${dialect.anyFrom('id', page)} ${NEWEST_FIRST}`,
    bindings: [...found.bindings, search.limit],
  };
}

/** A range of an index: all bounds but those of time. */
interface Range {
  readonly status: OrderStatus;
  readonly currency: CurrencyCode | null;
}

/** The ranges as rows that one subquery is run for: planning a subquery for each takes longer than reading them. */
function inOnePlan(orders: string, dialect: Dialect, search: OrderSearch, ranges: readonly Range[]): Sql {
  const coins = ranges.flatMap(({ currency }) => currency ?? []);
  const columns = [ranges.map(({ status }) => status), ...(coins.length === 0 ? [] : [coins])];
  const { sql, bindings } = all([
    { sql: 'status = span.status', bindings: [] },
    ...(coins.length === 0 ? [] : [{ sql: 'currency = span.currency', bindings: [] }]),
    ...ownedBy(search),
    ...boundsOf(search),
  ]);
  return {
    sql: `SELECT part.* FROM unnest(${columns.map(() => '?::text[]').join(', ')}) AS span (${coins.length === 0 ? 'status' : 'status, currency'})
      CROSS JOIN LATERAL (SELECT id, created_at FROM ${orders} WHERE ${sql} ${NEWEST_FIRST} LIMIT ?) AS part`,
    bindings: [...columns.map((values) => dialect.list(values)), ...bindings, search.limit],
  };
}

function oneByOne(orders: string, search: OrderSearch, ranges: readonly Range[]): Sql {
  const parts = ranges.map(({ status, currency }): Sql => {
    const { sql, bindings } = all([
      ...ownedBy(search),
      ...(currency === null ? [] : [{ sql: 'currency = ?', bindings: [currency] }]),
      { sql: 'status = ?', bindings: [status] },
      ...boundsOf(search),
    ]);
    return {
      sql: `SELECT * FROM (SELECT id, created_at FROM ${orders} WHERE ${sql} ${NEWEST_FIRST} LIMIT ?) AS part`,
      bindings: [...bindings, search.limit],
    };
  });
  return { sql: parts.map(({ sql }) => sql).join(' UNION ALL '), bindings: parts.flatMap(({ bindings }) => bindings) };
}

const ownedBy = ({ accountId }: OrderSearch): readonly Sql[] =>
  accountId === null ? [] : [{ sql: 'account_id = ?', bindings: [accountId] }];

function boundsOf({ from, to, after }: OrderSearch): readonly Sql[] {
  return [
    ...(from === null ? [] : [{ sql: 'created_at >= ?', bindings: [from] }]),
    ...(to === null ? [] : [{ sql: 'created_at < ?', bindings: [to] }]),
    ...(after === null ? [] : [{ sql: '(created_at, id) < (?, ?)', bindings: [after.createdAt, after.id] }]),
  ];
}

/** The orders that a text belongs to are few. The expressions keep the planner from every index but that of the ids. */
function traced(tables: Tables, dialect: Dialect, search: OrderSearch, traces: OrderTraces): Sql {
  const { accountId, statuses, currencies, limit } = search;
  const { sql: found, bindings } = idsOf(tables, traces, accountId);
  const where = all([
    { sql: dialect.anyFrom('id', found), bindings },
    ...(accountId === null ? [] : [{ sql: `account_id || '' = ?`, bindings: [accountId] }]),
    { sql: dialect.anyOf(`status || ''`), bindings: [dialect.list(statuses)] },
    ...(currencies === null ? [] : [{ sql: dialect.anyOf(`currency || ''`), bindings: [dialect.list(currencies)] }]),
    ...boundsOf(search),
  ]);
  return {
    sql: `SELECT ${names(ORDER_COLUMNS)} FROM ${tables.orders} WHERE ${where.sql} ${NEWEST_FIRST} LIMIT ?`,
    bindings: [...where.bindings, limit],
  };
}

function idsOf(
  { orders, addresses, deposits }: Tables,
  { text, addresses: places, transactions }: OrderTraces,
  accountId: AccountId | null,
): Sql {
  const own = accountId === null ? { sql: '', bindings: [] } : { sql: ' AND account_id = ?', bindings: [accountId] };
  const parts: readonly Sql[] = [
    { sql: `SELECT id FROM ${orders} WHERE id = ?`, bindings: [text] },
    {
      sql: `SELECT id FROM ${orders} WHERE merchant_reference = ?${own.sql}`,
      bindings: [text, ...own.bindings],
    },
    ...places.map(({ chain, address }) => ({
      sql: `SELECT order_id FROM ${addresses} WHERE chain = ? AND address = ?`,
      bindings: [chain, address],
    })),
    ...transactions.map(({ chain, txid }) => ({
      sql: `SELECT order_id FROM ${deposits} WHERE chain = ? AND txid = ?`,
      bindings: [chain, txid],
    })),
  ];
  return { sql: parts.map(({ sql }) => sql).join(' UNION ALL '), bindings: parts.flatMap(({ bindings }) => bindings) };
}

function all(parts: readonly Sql[]): Sql {
  return { sql: parts.map(({ sql }) => sql).join(' AND '), bindings: parts.flatMap(({ bindings }) => bindings) };
}
