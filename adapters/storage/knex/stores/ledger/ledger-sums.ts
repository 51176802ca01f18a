import type { LedgerBreach } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Dialect, Run } from '../../dialects/dialect.ts';
import { text, units } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';
import { lockMonths, readClosings } from './ledger-closings.ts';
import { liveTransfers } from './ledger-transfers.ts';
import { added, differences, inWords, storedSums, sumColumns, sumOf, sumsOf } from './posting-sums.ts';
import type { Sums } from './posting-sums.ts';

/** The tables that are summed, and the dialect. */
type LedgerTables = Pick<Database, 'tables' | 'dialect'>;

/**
 * The number of possibly unbalanced entries read at once; on SQLite a balanced one whose digits carry may be among them
 * (see `Dialect.sumParts`).
 */
const PAGE = 5_000;

const mayBeOff = (dialect: Dialect): string =>
  dialect
    .sumParts('units')
    .map((sum) => `${sum} <> '0'`)
    .join(' OR ');
/** Entries that do not sum to zero in each currency, and the total difference. */
export async function unbalancedEntries(run: Run, db: LedgerTables, limit: number): Promise<readonly LedgerBreach[]> {
  const sums = await bookedSums(run, db);
  return [...offCurrencies(sums), ...(await lopsidedEntries(run, db, limit))].slice(0, limit);
}

/** The sums of all postings, those of closed months too. */
async function bookedSums(run: Run, db: LedgerTables): Promise<Sums> {
  await lockMonths(run, db);
  const { sums } = await sumsOf(run, db, db.tables.postings);
  return added(sums, (await readClosings(run, db)).sums);
}

/** Currencies whose sums of all accounts are not zero. */
export function offCurrencies(sums: Sums): readonly LedgerBreach[] {
  const totals = new Map<string, bigint>();
  for (const [key, sum] of sums) add(totals, key.slice(key.indexOf(' ') + 1), sum);
  return [...totals]
    .filter(([, sum]) => sum !== 0n)
    .map(([currency, sum]) => ({
      invariant: 'all postings sum to zero',
      detail: `${currency} is off by ${sum} units`,
    }));
}

/** Entries that do not sum to zero. @param among - an SQL condition that selects entries */
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
  const sums = await bookedSums(run, db);
  return drifted(sums, await storedSums(run, db.tables.balances)).slice(0, limit);
}

/** {@link driftedBalances} by the sums of all postings. */
export const drifted = (sums: Sums, balances: Sums): readonly LedgerBreach[] =>
  differences(sums, balances).map(([key, sum]) => ({
    invariant: 'a balance is the sum of its postings',
    detail: `the postings of ${inWords(key)} are ${sum} units above its balance`,
  }));

const add = (sums: Map<string, bigint>, key: string, amount: bigint): Map<string, bigint> =>
  sums.set(key, (sums.get(key) ?? 0n) + amount);

/** Accounts of chain holdings, which are negative, and of debts, which are positive. */
const HELD_AND_OWED = /^(?:custody|cold|merchant|unassigned):/;

/**
 * Currencies of which the chains hold less than is owed. The fee of an unfinished transfer is not owed: it leaves with
 * the transaction.
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
