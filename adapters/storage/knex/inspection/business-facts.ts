import { DAY_MS } from '../../../../core/index.ts';
import type { Database } from '../database.ts';
import type { Row } from '../dialects/dialect.ts';
import { integer, integerOrNull } from '../rows/values.ts';
import type { Age, AlertFacts, AttemptFacts, CountFacts, TransferFacts, WaitingFacts } from './facts.ts';
import { word } from './word.ts';

/** The upper bound of each age, in days. */
const AGES: readonly (readonly [age: Age, days: number])[] = [
  ['day', 1],
  ['week', 7],
  ['month', 30],
];
const LATEST_ATTEMPTS = 1_000;

/** SQL for the age of a row by one of its times. */
const ageOf = (column: string, nowMs: string): string =>
  `CASE ${AGES.map(([age, days]) => `WHEN ${column} > ${nowMs} - ${days * DAY_MS} THEN '${age}'`).join(' ')} ELSE 'older' END`;

const countOf = (row: Row): CountFacts => ({
  status: word(row['status']),
  age: word(row['age']) as Age,
  count: integer(row, 'records'),
});

/** Counts from the stored sums, so the cost does not depend on the number of rows. */
async function summed({ read, dialect }: Database, table: string): Promise<readonly CountFacts[]> {
  const rows = await read(
    `SELECT status, ${ageOf('day', dialect.nowMs)} AS age, sum(records) AS records FROM ${table}
     GROUP BY 1, 2 HAVING sum(records) > 0 ORDER BY 1, 2`,
  );
  return rows.map(countOf);
}

export const orders = (database: Database): Promise<readonly CountFacts[]> =>
  summed(database, database.tables.orderSums);

export const callbacks = (database: Database): Promise<readonly CountFacts[]> =>
  summed(database, database.tables.callbackSums);

export async function transfers({ read, tables, dialect }: Database): Promise<readonly TransferFacts[]> {
  const rows = await read(
    `SELECT chain, kind, status, ${ageOf('created_at', dialect.nowMs)} AS age, count(*) AS records FROM ${tables.transfers}
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
  );
  return rows.map((row) => ({ chain: word(row['chain']), kind: word(row['kind']), ...countOf(row) }));
}

export async function waiting({ read, tables, dialect }: Database): Promise<WaitingFacts> {
  const [row = {}] = await read(
    `SELECT
       (SELECT count(*) FROM ${tables.orders} WHERE status = 'PENDING' AND expires_at < ${dialect.nowMs}) AS overdue,
       (SELECT min(created_at) FROM ${tables.callbacks} WHERE status = 'PENDING') AS callback_at,
       (SELECT min(created_at) FROM ${tables.transfers} WHERE status NOT IN ('CONFIRMED', 'FAILED')) AS transfer_at`,
  );
  return {
    overdueOrders: integer(row, 'overdue'),
    oldestCallbackAt: integerOrNull(row, 'callback_at'),
    oldestTransferAt: integerOrNull(row, 'transfer_at'),
  };
}

/** Groups attempts by the status of the answer, since error messages quote the merchants' URLs. */
export async function attempts({ read, tables }: Database): Promise<readonly AttemptFacts[]> {
  const rows = await read(
    `SELECT http_status, count(*) AS records FROM (
       SELECT http_status FROM ${tables.attempts} ORDER BY id DESC LIMIT ${LATEST_ATTEMPTS}) latest
     GROUP BY 1 ORDER BY 1`,
  );
  return rows.map((row) => ({ httpStatus: integerOrNull(row, 'http_status'), count: integer(row, 'records') }));
}

export async function openAlerts({ read, tables }: Database): Promise<readonly AlertFacts[]> {
  const rows = await read(
    `SELECT kind, count(*) AS records, sum(raised) AS raised, min(first_at) AS first_at, max(last_at) AS last_at
     FROM ${tables.alerts} WHERE status = 'OPEN' GROUP BY 1 ORDER BY 1`,
  );
  return rows.map((row) => ({
    kind: word(row['kind']),
    open: integer(row, 'records'),
    raised: integer(row, 'raised'),
    firstAt: integer(row, 'first_at'),
    lastAt: integer(row, 'last_at'),
  }));
}
