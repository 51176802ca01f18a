import { createHash } from 'node:crypto';
import type { LedgerBreach, LedgerCheckpoint, CheckpointRequest } from '../../../../core/index.ts';
import type { Database } from '../database.ts';
import type { Run } from '../dialects/dialect.ts';
import { integer, text, units } from '../rows/values.ts';
import { driftedUnassigned, missingCallbacks, mismatchedDeposits } from './ledger-facts.ts';
import { insolventCurrencies, lopsidedEntries, sumColumns, sumOf } from './ledger-sums.ts';
import { mismatchedTransfers } from './ledger-transfers.ts';
import { negativeMerchants } from './ledger-balances.ts';

/** Kinds of rows in the queue of what the next check looks at. */
export const UNCHECKED_ENTRY = 'entry';
export const UNCHECKED_ORDER = 'order';

const PAGE = 5_000;
const SUMS_AT_ONCE = 300;

/** Sums of postings by account and currency, which are separated by a space. */
type Sums = ReadonlyMap<string, bigint>;

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
  /** The last row of the queue that was seen. */
  readonly line: number;
}

/**
 * Checks the books and writes a checkpoint. On PostgreSQL both are one transaction of one snapshot: of the queue it deletes what
 * it has seen, and an entry that commits meanwhile stays there, whatever its id. On SQLite, where one writes at a time, the queue's
 * numbers are in the order of the commits, so no writer waits for the reading.
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
  const former = await checkpointOf(run, db);
  const full = asked || former.number === 0;
  const [queue] = await run(`SELECT max(seq) AS line FROM ${tables.unchecked}`);
  const line = queue === undefined || queue['line'] === null ? 0 : integer(queue, 'line');
  const checked = await storedSums(run, tables.checkpointSums);
  const fresh = await sumsOf(run, db, `WHERE ${unchecked(db)}`);
  const read = full ? await sumsOf(run, db, '') : fresh;
  const sums = full ? read.sums : added(checked, fresh.sums);
  const breaches = [
    ...brokenCheckpoint(former, checked),
    ...(full && former.number > 0
      ? changedSince(former, checked, added(sums, fresh.sums, -1n), read.count - fresh.count)
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
  const count = full ? read.count : former.postings + fresh.count;
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

async function storedSums(run: Run, table: string): Promise<Sums> {
  const rows = await run(`SELECT account, currency, units FROM ${table}`);
  return new Map(rows.map((row) => [`${text(row, 'account')} ${text(row, 'currency')}`, units(row, 'units')]));
}

async function sumsOf(run: Run, { tables, dialect }: Database, where: string): Promise<{ sums: Sums; count: number }> {
  const rows = await run(
    `SELECT account, currency, count(*) AS records, ${sumColumns(dialect)} FROM ${tables.postings} ${where} GROUP BY account, currency`,
  );
  return {
    sums: new Map(rows.map((row) => [`${text(row, 'account')} ${text(row, 'currency')}`, sumOf(row)])),
    count: rows.reduce((sum, row) => sum + integer(row, 'records'), 0),
  };
}

function added(a: Sums, b: Sums, sign = 1n): Sums {
  const sums = new Map(a);
  for (const [key, sum] of b) sums.set(key, (sums.get(key) ?? 0n) + sign * sum);
  return sums;
}

/** Accounts whose sums differ, with the difference. */
const differences = (a: Sums, b: Sums): readonly (readonly [string, bigint])[] =>
  [...added(a, b, -1n)].filter(([, sum]) => sum !== 0n).slice(0, SUMS_AT_ONCE);

const inWords = (key: string): string => key.replace(' ', ' in ');

const drifted = (sums: Sums, balances: Sums): readonly LedgerBreach[] =>
  differences(sums, balances).map(([key, sum]) => ({
    invariant: 'a balance is the sum of its postings',
    detail: `the postings of ${inWords(key)} are ${sum} units above its balance`,
  }));

function offCurrencies(sums: Sums): readonly LedgerBreach[] {
  const totals = new Map<string, bigint>();
  for (const [key, sum] of sums) {
    const currency = key.slice(key.indexOf(' ') + 1);
    totals.set(currency, (totals.get(currency) ?? 0n) + sum);
  }
  return [...totals]
    .filter(([, sum]) => sum !== 0n)
    .map(([currency, sum]) => ({
      invariant: 'all postings sum to zero',
      detail: `${currency} is off by ${sum} units`,
    }));
}

/** The sums of the checkpoint, as they are stored, are those that it was written for. */
function brokenCheckpoint({ number, postings, digest }: Checkpoint, checked: Sums): readonly LedgerBreach[] {
  if (number === 0 || digest === digestOf(number, postings, checked)) return [];
  return [
    {
      invariant: 'a checkpoint stays as it was written',
      detail: `checkpoint ${number} or its sums were changed; ledger check --full reads everything`,
    },
  ];
}

/** What the checkpoint has seen is still there, and nothing came to it. */
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

function digestOf(number: number, postings: number, sums: Sums): string {
  const lines = [...sums].filter(([, sum]) => sum !== 0n).map(([key, sum]) => `${key} ${sum}`);
  return createHash('sha256')
    .update([number, postings, ...lines.sort()].join('\n'))
    .digest('hex');
}

/** @returns the digest of the new checkpoint; `null` when another check has written one meanwhile, and so has done the same */
async function write(run: Run, { tables, dialect }: Database, found: Examined): Promise<string | null> {
  const { former, checked, sums, count, line } = found;
  const digest = digestOf(former.number + 1, count, sums);
  const kept = await run(
    `UPDATE ${tables.checkpoint} SET number = ?, postings = ?, checked_at = ${dialect.nowMs}, digest = ? WHERE id = 1 AND number = ? RETURNING id`,
    [former.number + 1, count, digest, former.number],
  );
  if (kept.length === 0) return null;
  const changed = [...sums].filter(([key, sum]) => checked.get(key) !== sum);
  for (let from = 0; from < changed.length; from += SUMS_AT_ONCE) {
    const part = changed.slice(from, from + SUMS_AT_ONCE);
    await run(
      `INSERT INTO ${tables.checkpointSums} (account, currency, units) VALUES ${part.map(() => '(?, ?, ?)').join(', ')}
       ON CONFLICT (account, currency) DO UPDATE SET units = excluded.units`,
      part.flatMap(([key, sum]) => {
        const at = key.indexOf(' ');
        return [key.slice(0, at), key.slice(at + 1), String(sum)];
      }),
    );
  }
  // On PostgreSQL rows below the line that are not in the snapshot are not seen by this either.
  await run(`DELETE FROM ${tables.unchecked} WHERE seq <= ?`, [line]);
  return digest;
}
