import { custodyAccount } from '../../../../core/index.ts';
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
  // The account of a chain is negative by the amount that it holds.
  for (const row of await run(`SELECT currency, units FROM ${balances} WHERE account = ?`, [custodyAccount(chain)])) {
    add(text(row, 'currency'), -units(row, 'units'));
  }
  // The first condition is that of the partial index of unsettled deposits.
  const credited = await run(
    `SELECT currency, units FROM ${deposits} WHERE chain = ? AND status IN ('SEEN', 'CREDITED') AND status = 'CREDITED'`,
    [chain],
  );
  for (const row of credited) add(text(row, 'currency'), -units(row, 'units'));
  return expected;
}
