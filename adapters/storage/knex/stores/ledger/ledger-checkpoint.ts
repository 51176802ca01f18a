import type { LedgerBreach, LedgerCheckpoint, CheckpointRequest } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Run } from '../../dialects/dialect.ts';
import { integer, text } from '../../rows/values.ts';
import { driftedUnassigned, missingCallbacks, mismatchedDeposits } from './ledger-facts.ts';
import { lockMonths, readClosings } from './ledger-closings.ts';
import { drifted, insolventCurrencies, lopsidedEntries, offCurrencies } from './ledger-sums.ts';
import { added, differences, digestOf, inWords, storedSums, storeSums, sumsOf } from './posting-sums.ts';
import type { Sums } from './posting-sums.ts';
import { mismatchedTransfers } from './ledger-transfers.ts';
import { negativeMerchants } from './ledger-balances.ts';

/** The kinds of rows in the queue for the next check. */
export const UNCHECKED_ENTRY = 'entry';
export const UNCHECKED_ORDER = 'order';

const PAGE = 5_000;

interface Checkpoint {
  /** 0 before the first one. */
  readonly number: number;
  readonly postings: number;
  readonly digest: string;
}

interface Examined extends Omit<LedgerCheckpoint, 'digest'> {
  readonly former: Checkpoint;
  readonly checked: Sums;
  readonly sums: Sums;
  readonly count: number;
  /** The last row of the queue that this check covers. */
  readonly line: number;
}

/**
 * Checks the ledger and writes a checkpoint. On PostgreSQL both are one transaction of one snapshot: it deletes from
 * the queue only the rows it has seen, and an entry that commits in the meantime stays there, whatever its id. On
 * SQLite, which has one writer at a time, the queue's numbers are in the order of commits, so no writer waits for the
 * check.
 */
export async function checkpointLedger(db: Database, request: CheckpointRequest): Promise<LedgerCheckpoint> {
  const { beginCheckpoint } = db.dialect;
  const done = async (run: Run, found: Examined): Promise<LedgerCheckpoint> => ({
    breaches: found.breaches,
    full: found.full,
    postings: found.postings,
    digest: found.breaches.length > 0 ? null : await write(run, db, found),
  });
  if (beginCheckpoint !== null)
    return db.checkpointing(beginCheckpoint, async ({ run }) => done(run, await examine(run, db, request)));
  const found = await db.survey((run) => examine(run, db, request));
  return db.transaction(({ run }) => done(run, found));
}

async function examine(run: Run, db: Database, { full: asked, limit }: CheckpointRequest): Promise<Examined> {
  const { tables } = db;
  await lockMonths(run, db);
  const former = await checkpointOf(run, db);
  const full = asked || former.number === 0;
  const [queue] = await run(`SELECT max(seq) AS line FROM ${tables.unchecked}`);
  const line = queue === undefined || queue['line'] === null ? 0 : integer(queue, 'line');
  const checked = await storedSums(run, tables.checkpointSums);
  const fresh = await sumsOf(run, db, tables.postings, `WHERE ${unchecked(db)}`);
  const read = full ? await sumsOf(run, db, tables.postings) : fresh;
  const closings = await readClosings(run, db);
  const sums = full ? added(read.sums, closings.sums) : added(checked, fresh.sums);
  const breaches = [
    ...brokenCheckpoint(former, checked),
    ...closings.breaches,
    ...(full && former.number > 0
      ? changedSince(former, checked, added(sums, fresh.sums, -1n), read.count + closings.count - fresh.count)
      : []),
    ...offCurrencies(sums),
    ...(await lopsidedEntries(run, db, limit, full ? undefined : unchecked(db))),
    ...drifted(sums, await storedSums(run, tables.balances)),
    ...(await negativeMerchants(run, db, limit)),
    ...(await insolventCurrencies(run, tables, limit)),
    ...(full ? await mismatchedDeposits(run, tables, limit) : await freshDeposits(run, db, limit)),
    ...(await driftedUnassigned(run, tables, limit)),
    ...(await mismatchedTransfers(run, tables, limit)),
    ...(await missingCallbacks(run, tables, limit, full ? undefined : freshOrders(db))),
  ];
  const count = full ? read.count + closings.count : former.postings + fresh.count;
  return { breaches, full, postings: read.count, former, checked, sums, count, line };
}

const unchecked = ({ tables }: Database): string =>
  `entry_id IN (SELECT subject FROM ${tables.unchecked} WHERE kind = '${UNCHECKED_ENTRY}')`;

const freshOrders = ({ tables }: Database) => ({
  sql: `o.id IN (SELECT subject FROM ${tables.unchecked} WHERE kind = '${UNCHECKED_ORDER}')`,
  bindings: [],
});

/** Deposits that were booked since the checkpoint, and those that are not settled yet. */
async function freshDeposits(run: Run, db: Database, limit: number): Promise<readonly LedgerBreach[]> {
  const { tables, dialect } = db;
  const live = { sql: `d.status IN ('SEEN', 'CREDITED')`, bindings: [] };
  const breaches = [...(await mismatchedDeposits(run, tables, limit, live))];
  for (let after = 0; ;) {
    const rows = await run(
      `SELECT u.seq, e.reference FROM ${tables.unchecked} u JOIN ${tables.entries} e ON e.id = u.subject
       WHERE u.kind = '${UNCHECKED_ENTRY}' AND u.seq > ? ORDER BY u.seq LIMIT ${PAGE}`,
      [after],
    );
    const ids = rows.map((row) => text(row, 'reference').split(':')).filter(([what]) => what === 'deposit');
    const named = [...new Set(ids.map(([, id = '']) => id))];
    const among = {
      sql: `${dialect.anyOf('d.id')} AND d.status NOT IN ('SEEN', 'CREDITED')`,
      bindings: [dialect.list(named)],
    };
    breaches.push(...(await mismatchedDeposits(run, tables, limit, among)));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return breaches.slice(0, limit);
    after = integer(last, 'seq');
  }
}

async function checkpointOf(run: Run, { tables }: Database): Promise<Checkpoint> {
  const [row] = await run(`SELECT number, postings, digest FROM ${tables.checkpoint} WHERE id = 1`);
  if (row === undefined) return { number: 0, postings: 0, digest: '' };
  return { number: integer(row, 'number'), postings: integer(row, 'postings'), digest: text(row, 'digest') };
}

/** Whether the stored sums of the checkpoint are those for which it was written. */
function brokenCheckpoint({ number, postings, digest }: Checkpoint, checked: Sums): readonly LedgerBreach[] {
  if (number === 0 || digest === digestOf([number, postings], checked)) return [];
  return [
    {
      invariant: 'a checkpoint stays as it was written',
      detail: `checkpoint ${number} or its sums were changed; ledger check --full reads everything`,
    },
  ];
}

/** Whether anything that the checkpoint covers was removed or added to. */
function changedSince(
  { number, postings }: Checkpoint,
  checked: Sums,
  now: Sums,
  count: number,
): readonly LedgerBreach[] {
  const invariant = 'what was checked does not change';
  return [
    ...(count === postings
      ? []
      : [{ invariant, detail: `checkpoint ${number} had ${postings} postings, now there are ${count}` }]),
    ...differences(now, checked).map(([key, sum]) => ({
      invariant,
      detail: `the postings of ${inWords(key)} are ${sum} units above those of checkpoint ${number}`,
    })),
  ];
}

/** @returns the digest of the new checkpoint; `null` when another check has written one in the meantime */
async function write(run: Run, { tables, dialect }: Database, found: Examined): Promise<string | null> {
  const { former, checked, sums, count, line } = found;
  const digest = digestOf([former.number + 1, count], sums);
  const kept = await run(
    `UPDATE ${tables.checkpoint} SET number = ?, postings = ?, checked_at = ${dialect.nowMs}, digest = ? WHERE id = 1 AND number = ? RETURNING id`,
    [former.number + 1, count, digest, former.number],
  );
  if (kept.length === 0) return null;
  const changed = [...sums].filter(([key, sum]) => checked.get(key) !== sum);
  await storeSums(run, {
    table: tables.checkpointSums,
    sums: changed,
    conflict: 'ON CONFLICT (account, currency) DO UPDATE SET units = excluded.units',
  });
  // On PostgreSQL this too misses rows below the line that are not in the snapshot.
  await run(`DELETE FROM ${tables.unchecked} WHERE seq <= ?`, [line]);
  return digest;
}
