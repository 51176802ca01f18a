import { custodyAccount, gasAccount } from '../../../../../core/index.ts';
import type { ChainCode, CurrencyCode } from '../../../../../core/index.ts';
import type { Row, Run } from '../../dialects/dialect.ts';
import { text, units } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';

/** Coins on a chain according to the ledger, without deposits that are credited and not spendable yet, and without frozen ones. */
export async function expectedCustody(
  run: Run,
  { balances, deposits, holdings }: Tables,
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
  // A token's issuer may destroy frozen coins, so they are not compared.
  for (const row of await run(`SELECT currency, units FROM ${holdings} WHERE chain = ? AND frozen_at IS NOT NULL`, [
    chain,
  ]))
    add(text(row, 'currency'), -units(row, 'units'));
  return expected;
}

/** The custody account less everything at deposit addresses. */
export async function hotCustody(
  run: Run,
  tables: Tables,
  chain: ChainCode,
): Promise<ReadonlyMap<CurrencyCode, bigint>> {
  const hot = new Map(await expectedCustody(run, tables, chain));
  const take = (row: Row, change: bigint): unknown =>
    hot.set(text(row, 'currency'), (hot.get(text(row, 'currency')) ?? 0n) - change);
  const kept = "status IN ('FREE', 'TAKEN') AND frozen_at IS NULL AND address_index IS NOT NULL";
  for (const row of await run(`SELECT currency, units FROM ${tables.holdings} WHERE chain = ? AND ${kept}`, [chain]))
    take(row, units(row, 'units'));
  const gas = [gasAccount(chain)];
  for (const row of await run(`SELECT currency, units FROM ${tables.balances} WHERE account = ?`, gas))
    take(row, -units(row, 'units'));
  return hot;
}
