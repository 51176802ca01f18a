import type {
  AccountId,
  ChainCode,
  CoinOwner,
  CurrencyCode,
  Holding,
  PayoutId,
  SpendableCoin,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import { names } from '../../rows/columns.ts';
import { text, textOrNull } from '../../rows/values.ts';
import { coinOf, HOLDING_COLUMNS, holdingOf } from '../../rows/transfer-row.ts';

const COIN = 'ref, address, address_index, units';

/** Free coins of a currency and an owner, most units first. */
export async function freeCoins(
  db: Database,
  chain: ChainCode,
  currency: CurrencyCode,
  limit: number,
  owner?: CoinOwner,
): Promise<readonly SpendableCoin[]> {
  const { tables, dialect } = db;
  const [owned, ...bindings] = owner === undefined ? ['TRUE'] : ownedBy(owner);
  const order = [...dialect.bySize('units'), 'id'].map((column) => `${column} DESC`).join(', ');
  const sql = `SELECT ${COIN} FROM ${tables.holdings} WHERE chain = ? AND currency = ? AND ${owned} AND status = 'FREE' AND frozen_at IS NULL ORDER BY ${order} LIMIT ?`;
  return (await db.read(sql, [chain, currency, ...bindings, limit])).map(coinOf);
}

/** The condition on a coin's owner, and its bindings. */
function ownedBy(owner: CoinOwner): readonly [string, ...string[]] {
  if ('of' in owner) return owner.of === null ? ['account_id IS NULL'] : ['account_id = ?', owner.of];
  return owner.notOf === null ? ['account_id IS NOT NULL'] : ['(account_id IS NULL OR account_id <> ?)', owner.notOf];
}

export async function ownersOfMany(
  db: Database,
  chain: ChainCode,
  currency: CurrencyCode,
  above: number,
  limit: number,
): Promise<readonly (AccountId | null)[]> {
  const sql = `SELECT account_id FROM ${db.tables.holdings} WHERE chain = ? AND currency = ? AND status = 'FREE'
    GROUP BY account_id HAVING count(*) > ? ORDER BY count(*) DESC, account_id LIMIT ?`;
  return (await db.read(sql, [chain, currency, above, limit])).map(
    (row) => textOrNull(row, 'account_id') as AccountId | null,
  );
}

export async function hasTakenCoins(
  db: Database,
  chain: ChainCode,
  currency: CurrencyCode,
  accountId: AccountId | null,
): Promise<boolean> {
  const [owned, ...bindings] = ownedBy({ of: accountId });
  const sql = `SELECT 1 FROM ${db.tables.holdings} WHERE chain = ? AND currency = ? AND ${owned} AND status = 'TAKEN' LIMIT 1`;
  return (await db.read(sql, [chain, currency, ...bindings])).length > 0;
}

/** The coins of a payout, in the order of their arrival. A coin removed by a reorg still belongs to its payout. */
export async function coinsOf(db: Database, payoutId: PayoutId): Promise<readonly SpendableCoin[]> {
  return (await db.read(`SELECT ${COIN} FROM ${db.tables.holdings} WHERE payout_id = ? ORDER BY id`, [payoutId])).map(
    coinOf,
  );
}

/** The outputs that are already in the ledger, or that the till's own transactions made. */
export async function knownCoins(
  { read, tables, dialect }: Database,
  chain: ChainCode,
  refs: readonly string[],
): Promise<ReadonlySet<string>> {
  const txidOf = (ref: string): string => ref.slice(0, ref.lastIndexOf(':'));
  const held = await read(
    `SELECT ref FROM ${tables.holdings} WHERE chain = ? AND ${dialect.anyOf('ref')} AND status <> 'GONE'`,
    [chain, dialect.list(refs)],
  );
  const made = await read(`SELECT txid FROM ${tables.payoutAttempts} WHERE chain = ? AND ${dialect.anyOf('txid')}`, [
    chain,
    dialect.list([...new Set(refs.map(txidOf))]),
  ]);
  const [known, own] = [new Set(held.map((row) => text(row, 'ref'))), new Set(made.map((row) => text(row, 'txid')))];
  return new Set(refs.filter((ref) => known.has(ref) || own.has(txidOf(ref))));
}

/** Coins that must exist on chain, by ref. */
export async function keptHoldings(
  db: Database,
  chain: ChainCode,
  after: string | null,
  limit: number,
): Promise<readonly Holding[]> {
  const sql = `SELECT ${names(HOLDING_COLUMNS)} FROM ${db.tables.holdings}
    WHERE chain = ? AND status IN ('FREE', 'TAKEN') AND frozen_at IS NULL AND ref > ? ORDER BY ref LIMIT ?`;
  return (await db.read(sql, [chain, after ?? '', limit])).map(holdingOf);
}

/** Free coins of one address, in the order of their arrival. */
export async function freeAt(
  db: Database,
  chain: ChainCode,
  address: string,
  currency: CurrencyCode,
): Promise<readonly Holding[]> {
  const sql = `SELECT ${names(HOLDING_COLUMNS)} FROM ${db.tables.holdings}
    WHERE chain = ? AND currency = ? AND address = ? AND status = 'FREE' AND frozen_at IS NULL ORDER BY id`;
  return (await db.read(sql, [chain, currency, address])).map(holdingOf);
}
