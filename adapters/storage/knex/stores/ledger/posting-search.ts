import { merchantAccount, MERCHANT_BALANCES } from '../../../../../core/index.ts';
import type { PostingSearch } from '../../../../../core/index.ts';
import type { Binding } from '../../binding.ts';
import { names } from '../../rows/columns.ts';
import { POSTING_COLUMNS } from '../../rows/ledger-row.ts';
import type { Tables } from '../../tables.ts';

const NEWEST_FIRST = 'ORDER BY booked_at DESC, entry_id DESC, line DESC';

/** The statement of a search: one index range for each ledger account, each limited to the size of the page. */
export function postingSearchSql(
  { postings, entries }: Tables,
  { accountId, from, to, after, limit }: PostingSearch,
): { readonly sql: string; readonly bindings: readonly Binding[] } {
  const accounts = accountId === null ? [null] : MERCHANT_BALANCES.map((part) => merchantAccount(accountId, part));
  const parts = accounts.map((account) => {
    const bounds: readonly (readonly [string, ...Binding[]])[] = [
      ...(account === null ? [] : [['account = ?', account] as const]),
      ...(from === null ? [] : [['booked_at >= ?', from] as const]),
      ...(to === null ? [] : [['booked_at < ?', to] as const]),
      ...(after === null
        ? []
        : [['(booked_at, entry_id, line) < (?, ?, ?)', after.createdAt, after.id, after.line] as const]),
    ];
    const where = bounds.length === 0 ? '' : `WHERE ${bounds.map(([sql]) => sql).join(' AND ')}`;
    return {
      sql: `SELECT * FROM (SELECT ${names(POSTING_COLUMNS)} FROM ${postings} ${where} ${NEWEST_FIRST} LIMIT ?) AS part`,
      bindings: [...bounds.flatMap(([, ...values]) => values), limit],
    };
  });
  return {
    sql: `SELECT found.*, e.kind, e.reference FROM (${parts.map(({ sql }) => sql).join(' UNION ALL ')}) AS found
      JOIN ${entries} e ON e.id = found.entry_id
      ORDER BY found.booked_at DESC, found.entry_id DESC, found.line DESC LIMIT ?`,
    bindings: [...parts.flatMap(({ bindings }) => bindings), limit],
  };
}
