import type { ChainCode, GasBalance } from '../../../../../core/index.ts';
import type { Run } from '../../dialects/dialect.ts';
import { text, units } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';

/** The booked gas at an address, and the gas that signed transfers are bringing. */
export async function gasAt(
  run: Run,
  { gasBalances, transfers }: Tables,
  chain: ChainCode,
  address: string,
): Promise<bigint> {
  const rows = [
    ...(await run(`SELECT units FROM ${gasBalances} WHERE chain = ? AND address = ?`, [chain, address])),
    // The second condition is that of the partial index of signed transfers.
    ...(await run(
      `SELECT units FROM ${transfers} WHERE chain = ? AND status IN ('SIGNED', 'BROADCAST') AND kind = 'gas' AND to_address = ?`,
      [chain, address],
    )),
  ];
  return rows.reduce((sum, row) => sum + units(row, 'units'), 0n);
}

/** Addresses with booked gas, by address. */
export async function gasBalances(
  run: Run,
  tables: Tables,
  chain: ChainCode,
  after: string | null,
  limit: number,
): Promise<readonly GasBalance[]> {
  const rows = await run(
    `SELECT address, units FROM ${tables.gasBalances} WHERE chain = ? AND units <> '0' AND address > ? ORDER BY address LIMIT ?`,
    [chain, after ?? '', limit],
  );
  return rows.map((row) => ({ address: text(row, 'address'), units: units(row, 'units') }));
}

export async function addGas(
  { run, tables, dialect }: Session,
  chain: ChainCode,
  address: string,
  change: bigint,
): Promise<void> {
  const key = [chain, address];
  await run(
    `INSERT INTO ${tables.gasBalances} (chain, address, units) VALUES (?, ?, ?) ON CONFLICT (chain, address) DO NOTHING`,
    [...key, '0'],
  );
  const where = 'WHERE chain = ? AND address = ?';
  const [row] = await run(`SELECT units FROM ${tables.gasBalances} ${where} ${dialect.forUpdate}`, key);
  const former = row === undefined ? 0n : units(row, 'units');
  await run(`UPDATE ${tables.gasBalances} SET units = ? ${where}`, [String(former + change), ...key]);
}
