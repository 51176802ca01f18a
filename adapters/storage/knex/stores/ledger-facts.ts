import type { LedgerBreach, OrderEventName, OrderStatus } from '../../../../core/index.ts';
import { ORDER_TRANSITIONS } from '../../../../core/index.ts';
import type { Database } from '../database.ts';
import { text } from '../rows/values.ts';

/** Number of entries whose reference has this prefix; `;` is the byte after `:`. */
const booked = (entries: string, what: string): string =>
  `(SELECT count(*) FROM ${entries} e WHERE e.reference >= 'deposit:' || d.id || ':${what}:' AND e.reference < 'deposit:' || d.id || ':${what};')`;

/** Deposits whose number of live credits (credits less reversals) does not match their status. */
export async function mismatchedDeposits(db: Database, limit: number): Promise<readonly LedgerBreach[]> {
  const { deposits, entries } = db.tables;
  const rows = await db.read(
    `SELECT id, status, live FROM (
       SELECT d.id, d.status, ${booked(entries, 'credit')} - ${booked(entries, 'reverse')} AS live FROM ${deposits} d
     ) AS counted
     WHERE live <> CASE WHEN status IN ('CREDITED', 'SPENDABLE') THEN 1 ELSE 0 END ORDER BY id LIMIT ?`,
    [limit],
  );
  return rows.map((row) => ({
    invariant: 'a credited deposit has exactly one live credit, any other none',
    detail: `deposit ${text(row, 'id')} is ${text(row, 'status')} and has ${String(row['live'])}`,
  }));
}

const URL_COLUMN: Readonly<Record<OrderEventName, string>> = {
  'order.succeeded': 'callback_url',
  'order.timeout': 'timeout_callback',
};

/** The statuses whose entry requires an event, from the transition table. */
function owing(event: OrderEventName): readonly OrderStatus[] {
  return [...new Set(ORDER_TRANSITIONS.filter((transition) => transition.event === event).map(({ to }) => to))];
}

/** Orders that are or were in a status that requires a callback and have none in the outbox. */
export async function missingCallbacks(db: Database, limit: number): Promise<readonly LedgerBreach[]> {
  const { orders, history, callbacks } = db.tables;
  const breaches: LedgerBreach[] = [];
  for (const [event, url] of Object.entries(URL_COLUMN) as [OrderEventName, string][]) {
    const statuses = owing(event)
      .map((status) => `'${status}'`)
      .join(', ');
    const rows = await db.read(
      `SELECT o.id, o.status FROM ${orders} o
       WHERE o.${url} IS NOT NULL AND o.status <> 'PENDING'
         AND (o.status IN (${statuses}) OR EXISTS (SELECT 1 FROM ${history} h WHERE h.order_id = o.id AND h.to_status IN (${statuses})))
         AND NOT EXISTS (SELECT 1 FROM ${callbacks} c WHERE c.order_id = o.id AND c.event = '${event}')
       ORDER BY o.id LIMIT ?`,
      [limit],
    );
    for (const row of rows) {
      breaches.push({
        invariant: 'one callback for each terminal event',
        detail: `order ${text(row, 'id')} (${text(row, 'status')}) has no ${event}`,
      });
    }
  }
  return breaches.slice(0, limit);
}
