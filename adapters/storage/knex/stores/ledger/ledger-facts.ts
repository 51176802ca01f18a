import type { LedgerBreach, OrderEventName, OrderStatus } from '../../../../../core/index.ts';
import { ORDER_TRANSITIONS, unassignedAccount } from '../../../../../core/index.ts';
import type { Binding } from '../../binding.ts';
import type { Row, Run } from '../../dialects/dialect.ts';
import { text, units } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';

/** Number of entries whose reference has this prefix; `;` is the byte after `:`. */
const booked = (entries: string, what: string): string =>
  `(SELECT count(*) FROM ${entries} e WHERE e.reference >= 'deposit:' || d.id || ':${what}:' AND e.reference < 'deposit:' || d.id || ':${what};')`;

/** A condition that selects rows. */
export interface Among {
  readonly sql: string;
  readonly bindings: readonly Binding[];
}

const ALL: Among = { sql: '1 = 1', bindings: [] };

/** Deposits whose number of live credits (credits less reversals) does not match their status. */
export async function mismatchedDeposits(
  run: Run,
  { deposits, entries }: Tables,
  limit: number,
  among: Among = ALL,
): Promise<readonly LedgerBreach[]> {
  const rows = await run(
    `SELECT id, status, live FROM (
       SELECT d.id, d.status, ${booked(entries, 'credit')} - ${booked(entries, 'reverse')} AS live FROM ${deposits} d WHERE ${among.sql}
     ) AS counted
     WHERE live <> CASE WHEN status IN ('CREDITED', 'SPENDABLE') THEN 1 ELSE 0 END ORDER BY id LIMIT ?`,
    [...among.bindings, limit],
  );
  return rows.map((row) => ({
    invariant: 'a credited deposit has exactly one live credit, any other none',
    detail: `deposit ${text(row, 'id')} is ${text(row, 'status')} and has ${String(row['live'])} live credits`,
  }));
}

/**
 * The difference between the expected and the actual balance of an unassigned account. A deposit that is being returned
 * is owed until it is paid, less the cost of its failed payments.
 */
export async function driftedUnassigned(
  run: Run,
  { deposits, balances }: Tables,
  limit: number,
): Promise<readonly LedgerBreach[]> {
  const drift = new Map<string, bigint>();
  const add = (account: string, row: Row, change: bigint): unknown => {
    const key = `${account} in ${text(row, 'currency')}`;
    return drift.set(key, (drift.get(key) ?? 0n) + change);
  };
  const owed = await run(
    `SELECT chain, currency, units, return_cost_units FROM ${deposits} WHERE assignment <> 'ORDER'
       AND (assignment = 'RETURNING' OR (assignment = 'UNASSIGNED' AND status IN ('CREDITED', 'SPENDABLE')))`,
  );
  for (const row of owed)
    add(unassignedAccount(text(row, 'chain')), row, units(row, 'units') - units(row, 'return_cost_units'));
  for (const row of await run(
    `SELECT account, currency, units FROM ${balances} WHERE substr(account, 1, 11) = 'unassigned:'`,
  ))
    add(text(row, 'account'), row, -units(row, 'units'));
  return [...drift]
    .filter(([, sum]) => sum !== 0n)
    .slice(0, limit)
    .map(([account, sum]) => ({
      invariant: 'an unassigned account is the sum of the deposits that belong to no order',
      detail: `${account} is ${sum} units below their sum`,
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
export async function missingCallbacks(
  run: Run,
  { orders, history, callbacks }: Tables,
  limit: number,
  among: Among = ALL,
): Promise<readonly LedgerBreach[]> {
  const breaches: LedgerBreach[] = [];
  for (const [event, url] of Object.entries(URL_COLUMN) as [OrderEventName, string][]) {
    const statuses = owing(event)
      .map((status) => `'${status}'`)
      .join(', ');
    const rows = await run(
      `SELECT o.id, o.status FROM ${orders} o
       WHERE ${among.sql} AND o.${url} IS NOT NULL AND o.status <> 'PENDING'
         AND (o.status IN (${statuses}) OR EXISTS (SELECT 1 FROM ${history} h WHERE h.order_id = o.id AND h.to_status IN (${statuses})))
         AND NOT EXISTS (SELECT 1 FROM ${callbacks} c WHERE c.order_id = o.id AND c.event = '${event}')
       ORDER BY o.id LIMIT ?`,
      [...among.bindings, limit],
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
