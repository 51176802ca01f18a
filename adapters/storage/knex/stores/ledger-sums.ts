import type { LedgerBreach } from '../../../../core/index.ts';
import type { Database } from '../database.ts';
import type { Dialect, Row, Run } from '../dialects/dialect.ts';
import { text, units, unitsOfParts } from '../rows/values.ts';
import type { Tables } from '../tables.ts';
import { liveTransfers } from './ledger-transfers.ts';

/** What the sums are taken of, and how. */
type LedgerTables = Pick<Database, 'tables' | 'dialect'>;

/** So many entries that may be off are read at once; on SQLite one whose digits carry may be, too (see `Dialect.sumParts`). */
const PAGE = 5_000;

/** The exact sum of the postings of a group, as columns that {@link sumOf} reads. */
export const sumColumns = (dialect: Dialect): string =>
  dialect
    .sumParts('units')
    .map((sum, part) => `${sum} AS sum${part}`)
    .join(', ');
const mayBeOff = (dialect: Dialect): string =>
  dialect
    .sumParts('units')
    .map((sum) => `${sum} <> '0'`)
    .join(' OR ');
/** The exact sum of a row of {@link sumColumns}. */
export const sumOf = (row: Row): bigint => unitsOfParts(row, 'sum');

/** Entries that do not sum to zero in each currency, and the total difference. */
export async function unbalancedEntries(run: Run, db: LedgerTables, limit: number): Promise<readonly LedgerBreach[]> {
  const totals = await run(`SELECT currency, ${sumColumns(db.dialect)} FROM ${db.tables.postings} GROUP BY currency`);
  const off = totals
    .filter((row) => sumOf(row) !== 0n)
    .map((row) => ({
      invariant: 'all postings sum to zero',
      detail: `${text(row, 'currency')} is off by ${sumOf(row)} units`,
    }));
  return [...off, ...(await lopsidedEntries(run, db, limit))].slice(0, limit);
}

/** Entries that do not sum to zero. @param among - SQL that is true for those to look at */
export async function lopsidedEntries(
  run: Run,
  { tables, dialect }: LedgerTables,
  limit: number,
  among = '1 = 1',
): Promise<LedgerBreach[]> {
  const breaches: LedgerBreach[] = [];
  let after = ['', ''];
  while (breaches.length < limit) {
    const rows = await run(
      `SELECT entry_id, currency, ${sumColumns(dialect)} FROM ${tables.postings} WHERE (entry_id, currency) > (?, ?) AND ${among}
       GROUP BY entry_id, currency HAVING ${mayBeOff(dialect)} ORDER BY entry_id, currency LIMIT ${PAGE}`,
      after,
    );
    for (const row of rows) {
      if (sumOf(row) === 0n) continue;
      breaches.push({
        invariant: 'every entry sums to zero',
        detail: `entry ${text(row, 'entry_id')} is off by ${sumOf(row)} units of ${text(row, 'currency')}`,
      });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) break;
    after = [text(last, 'entry_id'), text(last, 'currency')];
  }
  return breaches;
}

/** Accounts whose cached balance differs from the sum of their postings. */
export async function driftedBalances(run: Run, db: LedgerTables, limit: number): Promise<readonly LedgerBreach[]> {
  const { tables, dialect } = db;
  const drift = new Map<string, bigint>();
  const sums = await run(
    `SELECT account, currency, ${sumColumns(dialect)} FROM ${tables.postings} GROUP BY account, currency`,
  );
  for (const row of sums) add(drift, `${text(row, 'account')} in ${text(row, 'currency')}`, sumOf(row));
  for (const row of await run(`SELECT account, currency, units FROM ${tables.balances}`))
    add(drift, `${text(row, 'account')} in ${text(row, 'currency')}`, -units(row, 'units'));
  return [...drift]
    .filter(([, sum]) => sum !== 0n)
    .slice(0, limit)
    .map(([account, sum]) => ({
      invariant: 'a balance is the sum of its postings',
      detail: `the postings of ${account} are ${sum} units above its balance`,
    }));
}

const add = (sums: Map<string, bigint>, key: string, amount: bigint): Map<string, bigint> =>
  sums.set(key, (sums.get(key) ?? 0n) + amount);

/** Accounts of what chains hold, below zero, and of what is owed, above. */
const HELD_AND_OWED = /^(?:custody|cold|merchant|unassigned):/;

/**
 * Currencies of which chains hold less than is owed. The fee of a transfer under way is not owed any more: it leaves with
 * its transaction.
 */
export async function insolventCurrencies(run: Run, tables: Tables, limit: number): Promise<readonly LedgerBreach[]> {
  const owed = new Map<string, bigint>();
  for (const row of await run(`SELECT account, currency, units FROM ${tables.balances}`))
    if (HELD_AND_OWED.test(text(row, 'account'))) add(owed, text(row, 'currency'), units(row, 'units'));
  for await (const row of liveTransfers(run, tables)) add(owed, text(row, 'currency'), -units(row, 'fee_units'));
  return [...owed]
    .filter(([, sum]) => sum > 0n)
    .slice(0, limit)
    .map(([currency, sum]) => ({
      invariant: 'a chain holds what is owed',
      detail: `${sum} units of ${currency} are owed and not held`,
    }));
}
