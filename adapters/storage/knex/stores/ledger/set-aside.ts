import type { LedgerBreach } from '../../../../../core/index.ts';
import type { Row, Run } from '../../dialects/dialect.ts';
import { integer, text, units } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';

/** Chunk size of what is set aside. It is summed here as bigints, because SQLite adds TEXT as doubles. */
const CHUNK = 5_000;

/** What is set aside for payments that nobody has requested yet: rows of `account_id`, `currency` and `units`. */
type Source = (run: Run, tables: Tables) => AsyncGenerator<Row>;

/** Each kind of record for which an amount is set aside in a merchant's balance `claims`. */
const SOURCES: readonly Source[] = [
  waitingBatchRows,
  (run, { pullPayments }) => rowsById(run, pullPayments, 'aside_units', "aside_units <> '0'"),
  (run, { claims }) => rowsById(run, claims, 'units', "status = 'AWAITING_APPROVAL'"),
];

/** The rows of a table that set an amount aside. */
async function* rowsById(run: Run, table: string, column: string, where: string): AsyncGenerator<Row> {
  for (let after = ''; ;) {
    const rows = await run(
      `SELECT id, account_id, currency, ${column} AS units FROM ${table} WHERE ${where} AND id > ? ORDER BY id LIMIT ${CHUNK}`,
      [after],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK) return;
    after = text(last, 'id');
  }
}

/** The rows of approved batches that are no transfers yet. */
async function* waitingBatchRows(run: Run, { batches, batchRows }: Tables): AsyncGenerator<Row> {
  for (let after: readonly [string, number] = ['', 0]; ;) {
    const rows = await run(
      `SELECT r.batch_id, r.line, r.account_id, r.currency, r.units FROM ${batchRows} r JOIN ${batches} b ON b.id = r.batch_id
       WHERE b.status = 'APPROVED' AND r.transfer_id IS NULL AND r.problem IS NULL AND (r.batch_id, r.line) > (?, ?)
       ORDER BY r.batch_id, r.line LIMIT ${CHUNK}`,
      [...after],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK) return;
    after = [text(last, 'batch_id'), integer(last, 'line')];
  }
}

/** A merchant's balance `claims` equals what is set aside for it. */
export async function driftedClaims(run: Run, tables: Tables): Promise<readonly LedgerBreach[]> {
  const drift = new Map<string, bigint>();
  const add = (account: string, row: Row, change: bigint): unknown => {
    const key = `${account} in ${text(row, 'currency')}`;
    return drift.set(key, (drift.get(key) ?? 0n) + change);
  };
  for (const row of await run(
    `SELECT account, currency, units FROM ${tables.balances} WHERE account LIKE 'merchant:%:claims'`,
  ))
    add(text(row, 'account'), row, units(row, 'units'));
  for (const source of SOURCES)
    for await (const row of source(run, tables))
      add(`merchant:${text(row, 'account_id')}:claims`, row, -units(row, 'units'));
  return [...drift]
    .filter(([, sum]) => sum !== 0n)
    .map(([account, sum]) => ({
      invariant: 'what is set aside is the sum of what pull payments and payout batches promise',
      detail: `${account} is ${sum} units above their sum`,
    }));
}
