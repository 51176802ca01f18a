import { stateConflict, TillgateError } from '../../../../../core/index.ts';
import type { LedgerClosing, LedgerMonth, MonthNote } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Run } from '../../dialects/dialect.ts';
import { SqlAuditWrites } from '../access/audit-store.ts';
import { UNCHECKED_ENTRY } from './ledger-checkpoint.ts';
import { closedSums, CLOSING_COLUMNS, closingDigest, closingOf, closings, NO_CLOSING } from './ledger-closings.ts';
import {
  attachedMonths,
  attachMonth,
  guardMonth,
  isBusy,
  lockEntries,
  LOCK_TIMEOUT,
  monthTable,
  restTable,
} from './posting-months.ts';
import type { PostingMonth } from './posting-months.ts';
import { differences, storeSums, sumsOf } from './posting-sums.ts';

/** The rows that a move of a month has written, and its last step, the only one that blocks credits and readers. */
interface Move {
  readonly closing: LedgerClosing;
  last(): Promise<unknown>;
}

/** The attached months, the oldest first. @throws TillgateError `UNSUPPORTED` without partitions */
export async function openMonths(db: Database): Promise<readonly LedgerMonth[]> {
  requirePartitions(db);
  return (await attachedMonths(db.read, db.tables)).map(({ name, until }) => ({ month: name, until }));
}

/**
 * Writes the closing of the oldest month and detaches its table; `null` when it is no longer the oldest, because it was
 * closed in the meantime.
 */
export function closeMonth(db: Database, name: string, note: MonthNote): Promise<LedgerClosing | null> {
  return moved(db, note, async (run) => {
    const { tables } = db;
    const table = monthTable(tables, name);
    const [oldest] = await attachedMonths(run, tables);
    if (oldest?.name !== name) return null;
    // From here on nothing more is booked in this month.
    await run(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
    await refuseUnchecked(run, db, name);
    const closing = await write(run, db, oldest);
    return { closing, last: () => run(`ALTER TABLE ${tables.postings} DETACH PARTITION ${table}`) };
  });
}

async function refuseUnchecked(run: Run, { tables }: Database, name: string): Promise<void> {
  const [found] = await run(
    `SELECT 1 AS found FROM ${tables.unchecked} u JOIN ${monthTable(tables, name)} p ON p.entry_id = u.subject
     WHERE u.kind = '${UNCHECKED_ENTRY}' LIMIT 1`,
  );
  if (found !== undefined)
    throw stateConflict(`An entry of ${name} was booked since the last check of the ledger: run "ledger check" first.`);
}

async function write(run: Run, db: Database, { name, from, until }: PostingMonth): Promise<LedgerClosing> {
  const { tables, dialect } = db;
  const { sums, count: postings } = await sumsOf(run, db, monthTable(tables, name));
  const former = (await closings(run, db)).at(-1)?.digest ?? NO_CLOSING;
  const digest = closingDigest(former, { month: name, from, until, postings }, sums);
  const [row = {}] = await run(
    `INSERT INTO ${tables.closings} (${CLOSING_COLUMNS})
     VALUES (?, ?, ?, ?, ?, ${dialect.nowMs}) RETURNING ${CLOSING_COLUMNS}`,
    [name, from, until, postings, digest],
  );
  await storeSums(run, { table: tables.closingSums, sums: [...sums], more: { month: name } });
  return closingOf(tables, row);
}

/**
 * Attaches the table of the newest closed month again and removes its closing, if its sums still equal the closing's.
 */
export async function reopenMonth(db: Database, name: string, note: MonthNote): Promise<LedgerClosing> {
  const reopened = await moved(db, note, async (run) => {
    const { tables } = db;
    const closing = await requireNewest(run, db, name);
    const table = monthTable(tables, name);
    const [kept] = await run(`SELECT to_regclass('${table}') IS NOT NULL AS there`);
    if (kept?.['there'] !== true)
      throw new TillgateError('NOT_FOUND', `The table ${table} is missing: restore it from its dump first.`);
    await run(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
    await refuseChanged(run, db, closing);
    await refuseRest(run, db, closing);
    await guardMonth(run, db.namespace, name);
    // The proof of where the rows belong is read now, and not during the last step, which blocks everything else.
    const { from, until } = closing;
    await run(
      `ALTER TABLE ${table} ADD CONSTRAINT reopened CHECK (booked_at < ${until} ${from === null ? '' : `AND booked_at >= ${from}`})`,
    );
    await run(`DELETE FROM ${tables.closingSums} WHERE month = ?`, [name]);
    await run(`DELETE FROM ${tables.closings} WHERE month = ?`, [name]);
    const last = async (): Promise<void> => {
      await attachMonth(run, tables, { name, from, until });
      await run(`ALTER TABLE ${table} DROP CONSTRAINT reopened`);
    };
    return { closing, last };
  });
  if (reopened === null) throw stateConflict(`${name} is not closed.`);
  return reopened;
}

async function requireNewest(run: Run, db: Database, name: string): Promise<LedgerClosing> {
  const newest = (await closings(run, db)).at(-1);
  if (newest?.month === name) return newest;
  throw stateConflict(
    newest === undefined
      ? 'No month is closed.'
      : `Closed months are opened from the newest to the oldest, so that the chain of closings stays valid: open ${newest.month} first.`,
  );
}

async function refuseChanged(run: Run, db: Database, { month, postings }: LedgerClosing): Promise<void> {
  const found = await sumsOf(run, db, monthTable(db.tables, month));
  const [off] = differences(found.sums, await closedSums(run, db, month));
  if (off === undefined && found.count === postings) return;
  const detail =
    off === undefined
      ? `${found.count} postings, and the closing says ${postings}`
      : `other sums than the closing: ${off[0]} is off by ${off[1]} units`;
  throw stateConflict(`The table of ${month} has ${detail}. The table or the closing was changed; nothing was done.`);
}

async function refuseRest(run: Run, { tables }: Database, { month, from, until }: LedgerClosing): Promise<void> {
  const [found] = await run(
    `SELECT 1 AS found FROM ${restTable(tables)} WHERE booked_at < ? AND booked_at >= ? LIMIT 1`,
    [until, from ?? Number.MIN_SAFE_INTEGER],
  );
  if (found !== undefined)
    throw stateConflict(
      `Postings of ${month} were booked after it was closed (in ${restTable(tables)}), so that it cannot be attached.`,
    );
}

async function moved(
  db: Database,
  note: MonthNote,
  work: (run: Run) => Promise<Move | null>,
): Promise<LedgerClosing | null> {
  requirePartitions(db);
  const { withoutTimeLimit } = db.dialect;
  try {
    return await db.transaction(
      async (session) => {
        const { run } = session;
        if (withoutTimeLimit !== null) await run(withoutTimeLimit);
        await run(LOCK_TIMEOUT);
        // One move at a time: each continues from the newest closing.
        await run(`LOCK TABLE ${db.tables.closings} IN SHARE ROW EXCLUSIVE MODE`);
        const move = await work(run);
        if (move === null) return null;
        await new SqlAuditWrites(session).add([await note(move.closing)]);
        await lockEntries(run, db.tables);
        await move.last();
        return move.closing;
      },
      { patient: true },
    );
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new TillgateError(
      'NOT_READY',
      'Another session has locked the postings for too long (a check of the ledger, a dump, another closing): nothing was changed; try again.',
      {},
      error,
    );
  }
}

function requirePartitions({ dialect }: Database): void {
  if (!dialect.partitions)
    throw new TillgateError(
      'UNSUPPORTED',
      'Months are closed on PostgreSQL only: SQLite has no partitions, so that nothing would be saved.',
    );
}
