import type { LedgerBreach } from '../../../../core/index.ts';
import type { Row, Run } from '../dialects/dialect.ts';
import { integer, text, units } from '../rows/values.ts';
import type { Tables } from '../tables.ts';
import { liveTransfers } from './ledger-transfers.ts';

/** Chunk size of postings. Sums are computed here, in bigints: SQLite adds TEXT as doubles. */
const CHUNK = 5_000;

/** Every posting, grouped by entry. */
async function* postings(run: Run, tables: Tables): AsyncGenerator<Row> {
  let after: [string, number] = ['', -1];
  for (;;) {
    const rows = await run(
      `SELECT entry_id, line, account, currency, units FROM ${tables.postings}
       WHERE (entry_id, line) > (?, ?) ORDER BY entry_id, line LIMIT ${CHUNK}`,
      after,
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK) return;
    after = [text(last, 'entry_id'), integer(last, 'line')];
  }
}

const add = (sums: Map<string, bigint>, key: string, amount: bigint): Map<string, bigint> =>
  sums.set(key, (sums.get(key) ?? 0n) + amount);
const notZero = (sums: ReadonlyMap<string, bigint>): (readonly [string, bigint])[] =>
  [...sums].filter(([, sum]) => sum !== 0n);

/** Entries that do not sum to zero in each currency, and the total difference. */
export async function unbalancedEntries(run: Run, tables: Tables, limit: number): Promise<readonly LedgerBreach[]> {
  const breaches: LedgerBreach[] = [];
  const total = new Map<string, bigint>();
  let entry = { id: '', sums: new Map<string, bigint>() };
  const close = (): void => {
    for (const [currency, sum] of notZero(entry.sums)) {
      breaches.push({
        invariant: 'every entry sums to zero',
        detail: `entry ${entry.id} is off by ${sum} units of ${currency}`,
      });
    }
  };
  for await (const row of postings(run, tables)) {
    const id = text(row, 'entry_id');
    if (id !== entry.id) {
      close();
      entry = { id, sums: new Map() };
    }
    add(entry.sums, text(row, 'currency'), units(row, 'units'));
    add(total, text(row, 'currency'), units(row, 'units'));
  }
  close();
  const off = notZero(total).map(([currency, sum]) => ({
    invariant: 'all postings sum to zero',
    detail: `${currency} is off by ${sum} units`,
  }));
  return [...off, ...breaches].slice(0, limit);
}

/** Accounts whose cached balance differs from the sum of their postings. */
export async function driftedBalances(run: Run, tables: Tables, limit: number): Promise<readonly LedgerBreach[]> {
  const drift = new Map<string, bigint>();
  for await (const row of postings(run, tables))
    add(drift, `${text(row, 'account')} in ${text(row, 'currency')}`, units(row, 'units'));
  for (const row of await run(`SELECT account, currency, units FROM ${tables.balances}`)) {
    add(drift, `${text(row, 'account')} in ${text(row, 'currency')}`, -units(row, 'units'));
  }
  return notZero(drift)
    .slice(0, limit)
    .map(([account, sum]) => ({
      invariant: 'a balance is the sum of its postings',
      detail: `the postings of ${account} are ${sum} units above its balance`,
    }));
}

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
