import type { OrderHistoryEntry, OrderId } from '../../../../../core/index.ts';
import type { Run } from '../../dialects/dialect.ts';
import { names } from '../../rows/columns.ts';
import { HISTORY_COLUMNS, historyOf } from '../../rows/order-row.ts';
import type { Tables } from '../../tables.ts';

/** The stored changes of an order, oldest first. */
export async function orderHistory(run: Run, { history }: Tables, id: OrderId): Promise<readonly OrderHistoryEntry[]> {
  const sql = `SELECT ${names(HISTORY_COLUMNS)} FROM ${history} WHERE order_id = ? ORDER BY id`;
  return (await run(sql, [id])).map(historyOf);
}
