import type { AccountId, OrderSearch, OrderTraces } from '../../../../../core/index.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { names } from '../../rows/columns.ts';
import { ORDER_COLUMNS } from '../../rows/order-row.ts';
import type { Tables } from '../../tables.ts';
import { isStorable } from '../common.ts';
import { allOf, rangeListSql, timeBounds } from '../range-list.ts';
import type { Sql } from '../range-list.ts';

const NEWEST_FIRST = 'ORDER BY created_at DESC, id DESC';

/** The statement of a search; `null` for one that no row can match. */
export function orderSearchSql(tables: Tables, dialect: Dialect, search: OrderSearch): Sql | null {
  const { traces } = search;
  if (traces === null) return listed(tables, dialect, search);
  return isStorable(traces.text) ? traced(tables, dialect, search, traces) : null;
}

/**
 * One index range for each status, and for each coin where coins are selected. Orders in PENDING are few beside all others
 * and have an index of their own, in which a coin is looked for; a link's orders are in one index.
 */
function listed(tables: Tables, dialect: Dialect, search: OrderSearch): Sql {
  const { statuses, currencies, limit, linkId } = search;
  const coins = currencies === null ? [] : [{ column: 'currency', values: currencies }];
  const list = { table: tables.orders, columns: names(ORDER_COLUMNS), time: 'created_at', limit };
  const times = timeBounds('created_at', search);
  if (linkId !== null) {
    const bounds = [...ofLink(search), ...times];
    return rangeListSql({ ...list, among: [...coins, { column: 'status', values: statuses }], bounds }, dialect);
  }
  const settled = statuses.filter((status) => status !== 'PENDING');
  const ofCoins = currencies === null ? [] : [{ sql: dialect.anyOf('currency'), bindings: [dialect.list(currencies)] }];
  return rangeListSql(
    {
      ...list,
      // The conditions on the status are those of the partial indexes.
      among: [...coins, { column: 'status', expression: "status <> 'PENDING' AND status", values: settled }],
      bounds: [...ownedBy(search), ...times],
      apart:
        settled.length === statuses.length ? null : allOf([{ sql: "status = 'PENDING'", bindings: [] }, ...ofCoins]),
    },
    dialect,
  );
}

const ownedBy = ({ accountId }: OrderSearch): readonly Sql[] =>
  accountId === null ? [] : [{ sql: 'account_id = ?', bindings: [accountId] }];

/** The orders of a link have their own index; the expression keeps the planner from using the account's. */
const ofLink = ({ accountId, linkId }: OrderSearch): readonly Sql[] => [
  ...(linkId === null ? [] : [{ sql: 'link_id = ?', bindings: [linkId] }]),
  ...(accountId === null ? [] : [{ sql: `account_id || '' = ?`, bindings: [accountId] }]),
];

/** A text matches few orders. The expressions keep the planner from using any index but that of the ids. */
function traced(tables: Tables, dialect: Dialect, search: OrderSearch, traces: OrderTraces): Sql {
  const { accountId, statuses, currencies, limit } = search;
  const { sql: found, bindings } = idsOf(tables, traces, accountId);
  const where = allOf([
    { sql: dialect.anyFrom('id', found), bindings },
    ...ofLink(search),
    { sql: dialect.anyOf(`status || ''`), bindings: [dialect.list(statuses)] },
    ...(currencies === null ? [] : [{ sql: dialect.anyOf(`currency || ''`), bindings: [dialect.list(currencies)] }]),
    ...timeBounds('created_at', search),
  ]);
  return {
    sql: `SELECT ${names(ORDER_COLUMNS)} FROM ${tables.orders} WHERE ${where.sql} ${NEWEST_FIRST} LIMIT ?`,
    bindings: [...where.bindings, limit],
  };
}

function idsOf(
  { orders, addresses, deposits, shopOrders }: Tables,
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
    {
      sql: `SELECT order_id FROM ${shopOrders} WHERE reference = ?${own.sql}`,
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
