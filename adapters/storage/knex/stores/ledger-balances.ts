import type { LedgerBalance } from '../../../../core/index.ts';
import type { Row, Run } from '../dialects/dialect.ts';
import { text, units } from '../rows/values.ts';
import type { Tables } from '../tables.ts';

/** In the order of both databases nothing comes after it. */
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

export const balanceOf = (row: Row): LedgerBalance => ({
  account: text(row, 'account'),
  currency: text(row, 'currency'),
  units: units(row, 'units'),
});
