import type { CallbackSearch } from '../../../../../core/index.ts';
import { CALLBACK_COLUMNS } from '../../rows/callback-row.ts';
import { names } from '../../rows/columns.ts';
import type { Tables } from '../../tables.ts';
import { newestSql } from '../newest-list.ts';
import type { Sql } from '../range-list.ts';

/** The statement of a part of a list of callbacks. */
export function callbackSearchSql(
  { callbacks }: Tables,
  { accountId, status, endpointId, ...query }: CallbackSearch,
): Sql {
  const equal = { account_id: accountId, status, endpoint_id: endpointId };
  return newestSql({ table: callbacks, columns: names(CALLBACK_COLUMNS), equal }, query);
}
