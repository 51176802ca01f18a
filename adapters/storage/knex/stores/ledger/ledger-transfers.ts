import type { LedgerBreach } from '../../../../../core/index.ts';
import type { Row, Run } from '../../dialects/dialect.ts';
import { integer, text, textOrNull, units } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';
import { driftedClaims } from './set-aside.ts';

/** Chunk size of unfinished transfers. They are summed here as bigints, because SQLite adds TEXT as doubles. */
const CHUNK = 5_000;
const LIVE = "status NOT IN ('CONFIRMED', 'FAILED')";

/** Invariants between transfers and the ledger, and of transfers alone. */
export async function mismatchedTransfers(run: Run, tables: Tables, limit: number): Promise<readonly LedgerBreach[]> {
  const checks = [
    await driftedReserves(run, tables),
    await driftedClaims(run, tables),
    await repeatedReferences(run, tables, limit),
    await wrongEntries(run, tables, limit),
    await ownerlessPayouts(run, tables, limit),
    await excessRefunds(run, tables, limit),
  ];
  return checks.flat().slice(0, limit);
}

/** Unfinished withdrawals, refunds and returns. */
export async function* liveTransfers(run: Run, { transfers }: Tables): AsyncGenerator<Row> {
  for (let after = ''; ;) {
    const rows = await run(
      `SELECT id, account_id, currency, units, fee_units FROM ${transfers}
       WHERE ${LIVE} AND (account_id IS NOT NULL OR deposit_id IS NOT NULL) AND id > ? ORDER BY id LIMIT ${CHUNK}`,
      [after],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK) return;
    after = text(last, 'id');
  }
}

/** A merchant's reserve equals the sum of its unfinished withdrawals and refunds. */
async function driftedReserves(run: Run, tables: Tables): Promise<readonly LedgerBreach[]> {
  const drift = new Map<string, bigint>();
  const add = (account: string, row: Row, change: bigint): unknown => {
    const key = `${account} in ${text(row, 'currency')}`;
    return drift.set(key, (drift.get(key) ?? 0n) + change);
  };
  for (const row of await run(
    `SELECT account, currency, units FROM ${tables.balances} WHERE account LIKE 'merchant:%:reserved'`,
  )) {
    add(text(row, 'account'), row, units(row, 'units'));
  }
  for await (const row of liveTransfers(run, tables)) {
    // The amount of a return is not reserved.
    const accountId = textOrNull(row, 'account_id');
    if (accountId !== null) add(`merchant:${accountId}:reserved`, row, -units(row, 'units'));
  }
  return [...drift]
    .filter(([, sum]) => sum !== 0n)
    .map(([account, sum]) => ({
      invariant: 'a reserve is the sum of the withdrawals and refunds under way',
      detail: `${account} is ${sum} units above their sum`,
    }));
}

/** Each reference of an account is paid by one transfer of its batches. */
async function repeatedReferences(
  run: Run,
  { transfers, batchRows }: Tables,
  limit: number,
): Promise<readonly LedgerBreach[]> {
  const rows = await run(
    `SELECT r.account_id, r.reference, count(*) AS transfers FROM ${batchRows} r JOIN ${transfers} t ON t.id = r.transfer_id
     WHERE t.status <> 'FAILED' GROUP BY r.account_id, r.reference HAVING count(*) > 1 ORDER BY 1, 2 LIMIT ?`,
    [limit],
  );
  return rows.map((row) => ({
    invariant: 'a reference of a batch is paid once',
    detail: `${text(row, 'reference')} of account ${text(row, 'account_id')} has ${integer(row, 'transfers')} transfers`,
  }));
}

const booked = (entries: string, what: string): string =>
  `(SELECT count(*) FROM ${entries} e WHERE e.reference = 'transfer:' || t.id || ':${what}')`;

/**
 * A merchant's finished transfer has exactly one final entry. A move of the till has at most one: without a cost it is
 * not booked. No transfer has the entry of another outcome.
 */
async function wrongEntries(run: Run, { transfers, entries }: Tables, limit: number): Promise<readonly LedgerBreach[]> {
  // A return that fails before it is mined gives back an amount that was never moved.
  const least =
    "CASE WHEN account_id IS NOT NULL OR (deposit_id IS NOT NULL AND status = 'CONFIRMED') THEN 1 ELSE 0 END";
  const rows = await run(
    `SELECT id, kind, status, paid, released, failed FROM (
       SELECT t.id, t.kind, t.status, t.account_id, t.deposit_id, ${booked(entries, 'paid')} AS paid, ${booked(entries, 'released')} AS released,
         ${booked(entries, 'failed')} AS failed FROM ${transfers} t) AS counted
     WHERE NOT CASE status
       WHEN 'CONFIRMED' THEN paid BETWEEN ${least} AND 1 AND released + failed = 0
       WHEN 'FAILED' THEN released + failed BETWEEN ${least} AND 1 AND paid = 0
       ELSE paid + released + failed = 0 END
     ORDER BY id LIMIT ?`,
    [limit],
  );
  return rows.map((row) => ({
    invariant: 'a transfer has exactly the entries of its outcome',
    detail: `${text(row, 'kind')} ${text(row, 'id')} is ${text(row, 'status')} and has the entries: ${entriesOf(row)}`,
  }));
}

function entriesOf(row: Row): string {
  const has = ['paid', 'released', 'failed'].filter((what) => integer(row, what) > 0);
  return has.length === 0 ? 'none' : has.join(', ');
}

/**
 * Each transfer refers to its one payout. A payout that is live or mined without a transfer would have paid a second
 * time.
 */
async function ownerlessPayouts(
  run: Run,
  { transfers, payouts }: Tables,
  limit: number,
): Promise<readonly LedgerBreach[]> {
  const rows = await run(
    `SELECT b.id, b.status FROM ${payouts} b
     WHERE b.status <> 'VOID' AND NOT EXISTS (SELECT 1 FROM ${transfers} t WHERE t.payout_id = b.id) ORDER BY b.id LIMIT ?`,
    [limit],
  );
  return rows.map((row) => ({
    invariant: 'a transfer has at most one payout that is not VOID',
    detail: `payout ${text(row, 'id')} is ${text(row, 'status')} and no transfer names it`,
  }));
}

/** The refunds of an order sum to at most what was ever credited for it, whatever a reorganisation removed since. */
async function excessRefunds(run: Run, tables: Tables, limit: number): Promise<readonly LedgerBreach[]> {
  const found: LedgerBreach[] = [];
  for (let after = ''; found.length < limit;) {
    const orders = await run(
      `SELECT DISTINCT order_id FROM ${tables.transfers}
       WHERE kind = 'refund' AND status <> 'FAILED' AND order_id > ? ORDER BY order_id LIMIT ${CHUNK}`,
      [after],
    );
    const last = orders.at(-1);
    if (last === undefined) break;
    const until = text(last, 'order_id');
    found.push(...(await excessBetween(run, tables, after, until)));
    after = until;
  }
  return found.slice(0, limit);
}

/** Only orders with ids above `after` and up to `until`. */
async function excessBetween(
  run: Run,
  { transfers, deposits }: Tables,
  after: string,
  until: string,
): Promise<readonly LedgerBreach[]> {
  const refunds = `kind = 'refund' AND status <> 'FAILED' AND order_id > ? AND order_id <= ?`;
  const rows = await run(
    `SELECT order_id, currency, units, 'back' AS way FROM ${transfers} WHERE ${refunds}
     UNION ALL SELECT order_id, currency, units, 'came' AS way FROM ${deposits}
       WHERE assignment = 'ORDER' AND credits > 0 AND order_id IN (SELECT order_id FROM ${transfers} WHERE ${refunds})`,
    [after, until, after, until],
  );
  const left = new Map<string, bigint>();
  for (const row of rows) {
    const key = `order ${text(row, 'order_id')} in ${text(row, 'currency')}`;
    const change = text(row, 'way') === 'came' ? units(row, 'units') : -units(row, 'units');
    left.set(key, (left.get(key) ?? 0n) + change);
  }
  return [...left]
    .filter(([, sum]) => sum < 0n)
    .map(([key, sum]) => ({
      invariant: 'refunds of an order are at most what came for it',
      detail: `${key}: ${-sum} units more than came go back`,
    }));
}
