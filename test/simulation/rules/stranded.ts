import { BALANCE_INDEX } from '../../../core/index.ts';
import type { World } from '../world/world.ts';
import type { DepositRow } from './rows.ts';

type Row = Pick<DepositRow, 'chain' | 'status' | 'tx_index' | 'to_address' | 'units'>;

/** True for a deposit that was found by the balance of its address. */
export function isByBalance({ tx_index }: Pick<Row, 'tx_index'>): boolean {
  return tx_index.startsWith(BALANCE_INDEX);
}

/** No balance shows coins that no contract sent. A restored backup does not contain the gas that was sent since. */
export function inventedCoins(world: World, rows: Iterable<Row>, address: string): string | null {
  if (world.restores > 0) return null;
  const found = foundAt(rows).get(address) ?? 0n;
  let sent = 0n;
  for (const { outputs } of world.paid.values())
    for (const { to, units, hidden } of outputs) if (hidden === true && to === address) sent += units;
  return found <= sent ? null : `${found} were found by the balance of ${address}, and contracts sent ${sent}`;
}

const MOVING = `SELECT source_address AS address FROM transfers WHERE chain = 'ETH' AND status IN ('SIGNED', 'BROADCAST')`;

/**
 * At rest, every unit that a contract sent to a deposit address is in a deposit, of an order or unassigned. A sweep
 * that cannot be mined, because a reorganisation removed some of its coins, waits for an operator, who has an alert.
 */
export function strandedCoins(world: World, rows: Iterable<Row>, given: ReadonlySet<string>): readonly string[] {
  if (world.restores > 0) return [];
  const found = foundAt(rows);
  const sent = new Map<string, bigint>();
  for (const { tx, succeeded } of world.node('ETH').chain.included.values())
    for (const { to, units, hidden } of succeeded ? tx.outputs : [])
      if (hidden === true && given.has(`ETH ${to}`)) sent.set(to, (sent.get(to) ?? 0n) + units);
  const moving = new Set(world.driver.all<{ address: string }>(MOVING).map(({ address }) => address));
  return [...new Set([...sent.keys(), ...found.keys()])]
    .filter((address) => !moving.has(address))
    .filter((address) => (sent.get(address) ?? 0n) !== (found.get(address) ?? 0n))
    .map(
      (address) =>
        `settled: contracts sent ${sent.get(address) ?? 0n} to ${address}, and ${found.get(address) ?? 0n} are recorded`,
    );
}

function foundAt(rows: Iterable<Row>): ReadonlyMap<string, bigint> {
  const found = new Map<string, bigint>();
  for (const row of rows)
    if (isByBalance(row) && row.status !== 'ORPHANED')
      found.set(row.to_address, (found.get(row.to_address) ?? 0n) + BigInt(row.units));
  return found;
}
