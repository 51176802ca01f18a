import { custodyAccount, gasAccount } from '../../../../core/index.ts';
import type { ChainCode, CurrencyCode } from '../../../../core/index.ts';
import type { Run } from '../dialects/dialect.ts';
import { text, units } from '../rows/values.ts';
import type { Tables } from '../tables.ts';

/** Coins on a chain according to the ledger, without deposits that are credited and not spendable yet. */
export async function expectedCustody(
  run: Run,
  { balances, deposits }: Tables,
  chain: ChainCode,
): Promise<ReadonlyMap<CurrencyCode, bigint>> {
  const expected = new Map<CurrencyCode, bigint>();
  const add = (currency: CurrencyCode, change: bigint): unknown =>
    expected.set(currency, (expected.get(currency) ?? 0n) + change);
  // The accounts of a chain are negative by the amount that it holds.
  for (const account of [custodyAccount(chain), gasAccount(chain)])
    for (const row of await run(`SELECT currency, units FROM ${balances} WHERE account = ?`, [account]))
      add(text(row, 'currency'), -units(row, 'units'));
  // The first condition is that of the partial index of unsettled deposits.
  const credited = await run(
    `SELECT currency, units FROM ${deposits} WHERE chain = ? AND status IN ('SEEN', 'CREDITED') AND status = 'CREDITED'`,
    [chain],
  );
  for (const row of credited) add(text(row, 'currency'), -units(row, 'units'));
  return expected;
}
