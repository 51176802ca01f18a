import type { CallbackSearch } from '../../../../../core/index.ts';
import type { Binding } from '../../binding.ts';
import { CALLBACK_COLUMNS } from '../../rows/callback-row.ts';
import { names } from '../../rows/columns.ts';
import type { Tables } from '../../tables.ts';

/** The statement of a page of callbacks: each filter has an index that ends with the id, so nothing is sorted or counted. */
export function callbackSearchSql(
  { callbacks }: Tables,
  { accountId, status, endpointId, after, limit }: CallbackSearch,
): { readonly sql: string; readonly bindings: readonly Binding[] } {
  const filters: [string, Binding][] = [];
  if (accountId !== null) filters.push(['account_id = ?', accountId]);
  if (status !== null) filters.push(['status = ?', status]);
  if (endpointId !== null) filters.push(['endpoint_id = ?', endpointId]);
  if (after !== null) filters.push(['id < ?', after]);
  const where = filters.length === 0 ? '' : `WHERE ${filters.map(([filter]) => filter).join(' AND ')}`;
  return {
    sql: `SELECT ${names(CALLBACK_COLUMNS)} FROM ${callbacks} ${where} ORDER BY id DESC LIMIT ?`,
    bindings: [...filters.map(([, value]) => value), limit],
  };
}
