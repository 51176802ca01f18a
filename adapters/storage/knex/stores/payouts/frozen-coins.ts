import { merchantAccount, unassignedAccount } from '../../../../../core/index.ts';
import type {
  AccountId,
  ChainCode,
  CoinPlace,
  CurrencyCode,
  FrozenCoin,
  Millis,
  OwnerCover,
} from '../../../../../core/index.ts';
import type { Row, Run } from '../../dialects/dialect.ts';
import { coinOf } from '../../rows/transfer-row.ts';
import { integer, text, textOrNull, units } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';

const COLUMNS = 'ref, address, address_index, currency, units, account_id, frozen_reason, frozen_at';

/** The frozen coins of a chain, in the order of their arrival. */
export async function frozenCoins(run: Run, { holdings }: Tables, chain: ChainCode): Promise<readonly FrozenCoin[]> {
  const sql = `SELECT ${COLUMNS} FROM ${holdings} WHERE chain = ? AND frozen_at IS NOT NULL ORDER BY id`;
  return (await run(sql, [chain])).map(frozenCoinOf);
}

function frozenCoinOf(row: Row): FrozenCoin {
  return {
    ...coinOf(row),
    currency: text(row, 'currency'),
    accountId: textOrNull(row, 'account_id') as AccountId | null,
    reason: text(row, 'frozen_reason'),
    frozenAt: integer(row, 'frozen_at'),
  };
}

/** The block of the deposit that brought a coin; `null` without one, or while a reorganisation has removed it. */
export async function coinHeight(
  run: Run,
  { deposits }: Tables,
  chain: ChainCode,
  ref: string,
): Promise<number | null> {
  const at = ref.lastIndexOf(':');
  const sql = `SELECT block_height FROM ${deposits} WHERE chain = ? AND txid = ? AND tx_index = ? AND status <> 'ORPHANED'`;
  const [row] = await run(sql, [chain, ref.slice(0, at), ref.slice(at + 1)]);
  return row === undefined ? null : integer(row, 'block_height');
}

/** Freezes the free coins at an address in one currency. @returns the coins that are newly frozen */
export async function freezeCoins(
  { run, tables }: Session,
  { chain, address, currency }: CoinPlace,
  reason: string,
  at: Millis,
): Promise<readonly FrozenCoin[]> {
  const sql = `UPDATE ${tables.holdings} SET frozen_at = ?, frozen_reason = ?
    WHERE chain = ? AND currency = ? AND address = ? AND status = 'FREE' AND frozen_at IS NULL AND address_index IS NOT NULL
    RETURNING ${COLUMNS}`;
  return (await run(sql, [at, reason, chain, currency, address])).map(frozenCoinOf);
}

/** @returns the coins that are no longer frozen */
export async function thawCoins(
  { run, tables }: Session,
  { chain, address, currency }: CoinPlace,
): Promise<readonly FrozenCoin[]> {
  const place = 'chain = ? AND currency = ? AND address = ? AND frozen_at IS NOT NULL';
  const bindings = [chain, currency, address];
  const thawed = await run(`SELECT ${COLUMNS} FROM ${tables.holdings} WHERE ${place} ORDER BY id`, bindings);
  await run(`UPDATE ${tables.holdings} SET frozen_at = NULL, frozen_reason = NULL WHERE ${place}`, bindings);
  return thawed.map(frozenCoinOf);
}

/** Removes a frozen coin from the booked holdings; false when it is no longer frozen. */
export async function dropFrozen({ run, tables }: Session, chain: ChainCode, ref: string): Promise<boolean> {
  const sql = `UPDATE ${tables.holdings} SET status = 'GONE', frozen_at = NULL WHERE chain = ? AND ref = ? AND frozen_at IS NOT NULL
    RETURNING ref`;
  return (await run(sql, [chain, ref])).length > 0;
}

/** The sum of an owner's frozen coins in a currency. */
export async function frozenUnits(
  run: Run,
  { holdings }: Tables,
  owner: AccountId | null,
  currency: CurrencyCode,
): Promise<bigint> {
  const owned = owner === null ? 'account_id IS NULL' : 'account_id = ?';
  const sql = `SELECT units FROM ${holdings} WHERE ${owned} AND currency = ? AND frozen_at IS NOT NULL`;
  return sumOf(await run(sql, owner === null ? [currency] : [owner, currency]));
}

/** The sums of an account's frozen coins by currency. */
export async function frozenOf(
  run: Run,
  { holdings }: Tables,
  accountId: AccountId,
): Promise<ReadonlyMap<CurrencyCode, bigint>> {
  const sums = new Map<CurrencyCode, bigint>();
  const sql = `SELECT currency, units FROM ${holdings} WHERE account_id = ? AND frozen_at IS NOT NULL`;
  for (const row of await run(sql, [accountId])) {
    const currency = text(row, 'currency');
    sums.set(currency, (sums.get(currency) ?? 0n) + units(row, 'units'));
  }
  return sums;
}

/** An owner's frozen coins, and the amount that it is owed and that is not signed yet. */
export async function ownerCover(
  run: Run,
  tables: Tables,
  {
    chain,
    owner,
    currency,
  }: { readonly chain: ChainCode; readonly owner: AccountId | null; readonly currency: CurrencyCode },
): Promise<OwnerCover> {
  const accounts =
    owner === null
      ? [unassignedAccount(chain)]
      : [merchantAccount(owner, 'available'), merchantAccount(owner, 'claims')];
  const booked = sumOf(
    await run(
      `SELECT units FROM ${tables.balances} WHERE account IN (${accounts.map(() => '?').join(', ')}) AND currency = ?`,
      [...accounts, currency],
    ),
  );
  // A requested amount is reserved, but the amount of a return is deducted only once it is mined.
  const [under, bindings] =
    owner === null
      ? [
          "deposit_id IS NOT NULL AND status IN ('SIGNED', 'BROADCAST') AND chain = ? AND currency = ?",
          [chain, currency],
        ]
      : ["account_id = ? AND status IN ('HELD', 'REQUESTED') AND currency = ?", [owner, currency]];
  const asked = sumOf(await run(`SELECT units FROM ${tables.transfers} WHERE ${under}`, bindings));
  return {
    owed: owner === null ? booked - asked : booked + asked,
    frozen: await frozenUnits(run, tables, owner, currency),
  };
}

function sumOf(rows: readonly Row[]): bigint {
  return rows.reduce((sum, row) => sum + units(row, 'units'), 0n);
}
