import type { TransactionSearch, TransactionType } from '../../../../../core/index.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { names } from '../../rows/columns.ts';
import { TRANSACTION_COLUMNS } from '../../rows/deposit-row.ts';
import type { Tables } from '../../tables.ts';
import { isStorable } from '../common.ts';
import { allOf, rangeListSql, timeBounds } from '../range-list.ts';
import type { Sql } from '../range-list.ts';

/** The statement of a search; `null` for one that no row can match. */
export function transactionSearchSql(tables: Tables, dialect: Dialect, search: TransactionSearch): Sql | null {
  const { traces } = search;
  if (traces === null) return listed(tables, dialect, search);
  return isStorable(traces.text) ? traced(tables, dialect, search) : null;
}

/** One index range for each type and status, and for each coin where coins are selected. */
function listed({ transactions }: Tables, dialect: Dialect, search: TransactionSearch): Sql {
  const { accountId, types, statuses, currencies, limit } = search;
  const coins = currencies === null ? [] : [{ column: 'currency', values: currencies }];
  const own = accountId === null ? [] : [{ sql: 'account_id = ?', bindings: [accountId] }];
  return rangeListSql(
    {
      table: transactions,
      columns: names(TRANSACTION_COLUMNS),
      time: 'happened_at',
      among: [...coins, { column: 'type', values: types }, { column: 'status', values: statuses }],
      bounds: [...own, ...timeBounds('happened_at', search)],
      limit,
    },
    dialect,
  );
}

/**
 * A hash, an order or an id matches few transactions. For an address with many, no more of each type and status are
 * read than the page has. The expressions force the planner to use the index of the searched value.
 */
function traced(tables: Tables, dialect: Dialect, search: TransactionSearch): Sql {
  const { limit } = search;
  const found = idsOf(tables, dialect, search);
  const where = allOf([
    { sql: dialect.anyFrom('id', found.sql), bindings: found.bindings },
    ...narrowed(dialect, search),
    ...timeBounds('happened_at', search),
  ]);
  return {
    sql: `SELECT ${names(TRANSACTION_COLUMNS)} FROM ${tables.transactions} WHERE ${where.sql} ORDER BY happened_at DESC, id DESC LIMIT ?`,
    bindings: [...where.bindings, limit],
  };
}

function narrowed(dialect: Dialect, { accountId, types, statuses, currencies }: TransactionSearch): readonly Sql[] {
  return [
    ...(accountId === null ? [] : [{ sql: `account_id || '' = ?`, bindings: [accountId] }]),
    { sql: dialect.anyOf(`type || ''`), bindings: [dialect.list(types)] },
    { sql: dialect.anyOf(`status || ''`), bindings: [dialect.list(statuses)] },
    ...(currencies === null ? [] : [{ sql: dialect.anyOf(`currency || ''`), bindings: [dialect.list(currencies)] }]),
  ];
}

function idsOf(tables: Tables, dialect: Dialect, search: TransactionSearch): Sql {
  const { transactions, orders, addresses } = tables;
  const { traces, accountId } = search;
  if (traces === null) return { sql: '', bindings: [] };
  const { text, addresses: places, transactions: hashes } = traces;
  const own = accountId === null ? { sql: '', bindings: [] } : { sql: ' AND account_id = ?', bindings: [accountId] };
  const ofOrders = (query: string): string =>
    `SELECT id FROM ${transactions} WHERE ${dialect.anyFrom('order_id', query)}`;
  const parts: readonly Sql[] = [
    { sql: `SELECT id FROM ${transactions} WHERE id = ?`, bindings: [text] },
    { sql: `SELECT id FROM ${transactions} WHERE order_id = ?`, bindings: [text] },
    {
      sql: ofOrders(`SELECT id FROM ${orders} WHERE merchant_reference = ?${own.sql}`),
      bindings: [text, ...own.bindings],
    },
    ...places.map(({ chain, address }) => ({
      sql: ofOrders(`SELECT order_id FROM ${addresses} WHERE chain = ? AND address = ?`),
      bindings: [chain, address],
    })),
    ...[...new Set(hashes.map(({ txid }) => txid))].map((txid) => ({
      sql: `SELECT id FROM ${transactions} WHERE tx_hash = ?`,
      bindings: [txid],
    })),
    ...[...new Set(places.map(({ address }) => address))].map((address) => sentTo(tables, dialect, search, address)),
  ];
  return { sql: parts.map(({ sql }) => sql).join(' UNION ALL '), bindings: parts.flatMap(({ bindings }) => bindings) };
}

/**
 * Payments to an address; payments of orders are found by their orders. The index has one text for coin, type and
 * status, so that the planner uses no other index.
 */
function sentTo({ transactions }: Tables, dialect: Dialect, search: TransactionSearch, address: string): Sql {
  const { accountId, types, statuses, traces, limit } = search;
  const sent = SENT.filter((type) => types.includes(type));
  const words = (traces?.currencies ?? []).flatMap((currency) =>
    sent.flatMap((type) => statuses.map((status) => `${currency} ${type} ${status}`)),
  );
  const own = accountId === null ? [] : [{ sql: `account_id || '' = ?`, bindings: [accountId] }];
  const list = {
    ...{ table: transactions, columns: 'id', time: 'happened_at', limit },
    among: [{ column: 'words', expression: `currency || ' ' || type || ' ' || status`, values: words }],
    bounds: [{ sql: 'to_address = ?', bindings: [address] }, ...own, ...timeBounds('happened_at', search)],
  };
  if (words.length === 0) return { sql: `SELECT id FROM ${transactions} WHERE 1 = 0`, bindings: [] };
  const { sql, bindings } = rangeListSql(list, dialect);
  return { sql: `SELECT id FROM (${sql}) AS sent`, bindings };
}

const SENT: readonly TransactionType[] = ['WITHDRAW', 'REFUND', 'PAYOUT', 'SWAP'];
