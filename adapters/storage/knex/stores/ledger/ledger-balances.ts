import type { LedgerBalance, LedgerBreach } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Row, Run } from '../../dialects/dialect.ts';
import { text, units } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';

/** Sorts after everything else in both databases. */
const LAST_CHARACTER = '\u{10ffff}';

/** Balances of the accounts whose name begins with one of these. */
export async function ledgerBalances(
  run: Run,
  { balances }: Tables,
  prefixes: readonly string[],
): Promise<readonly LedgerBalance[]> {
  // Ranges of the primary key, not LIKE: no character of a prefix is a wildcard, and other accounts are not read.
  const ranges = prefixes.map(() => '(account >= ? AND account < ?)').join(' OR ');
  const sql = `SELECT account, currency, units FROM ${balances} WHERE ${ranges} ORDER BY account, currency`;
  const bounds = prefixes.flatMap((prefix) => [prefix, `${prefix}${LAST_CHARACTER}`]);
  return (await run(sql, bounds)).map(balanceOf);
}

/** Merchant balances below zero. */
export async function negativeMerchants(
  run: Run,
  { tables, dialect }: Pick<Database, 'tables' | 'dialect'>,
  limit: number,
): Promise<readonly LedgerBreach[]> {
  const rows = await run(
    `SELECT account, currency, units FROM ${tables.balances}
     WHERE substr(account, 1, 9) = 'merchant:' AND ${dialect.isNegative('units')} ORDER BY account, currency LIMIT ?`,
    [limit],
  );
  return rows.map(balanceOf).map(({ account, currency, units: below }) => ({
    invariant: 'no merchant balance is below zero',
    detail: `${account} has ${below} units of ${currency}`,
  }));
}

const balanceOf = (row: Row): LedgerBalance => ({
  account: text(row, 'account'),
  currency: text(row, 'currency'),
  units: units(row, 'units'),
});
