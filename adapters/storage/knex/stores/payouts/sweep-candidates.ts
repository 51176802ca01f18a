import type { ChainCode, CurrencyCode, SpendableCoin, SweepCandidate } from '../../../../../core/index.ts';
import type { Dialect, Run } from '../../dialects/dialect.ts';
import { coinOf } from '../../rows/transfer-row.ts';
import { text, textOrNull } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';

interface Place {
  readonly run: Run;
  readonly tables: Tables;
  readonly dialect: Dialect;
  readonly chain: ChainCode;
}

const FREE = "status = 'FREE' AND frozen_at IS NULL AND address_index IS NOT NULL";

/**
 * Addresses with the most units, taken from each currency in turn, because units of two currencies cannot be
 * compared.
 */
export async function sweepCandidates(place: Place, limit: number): Promise<readonly SweepCandidate[]> {
  const ranked: (SweepCandidate & { readonly rank: number })[] = [];
  for (const currency of await currencies(place)) {
    const largest = await largestOf(place, currency, limit);
    ranked.push(...largest.map((candidate, rank) => ({ ...candidate, rank })));
  }
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .sort((a, b) => (a.currency === b.currency ? a.rank - b.rank : a.currency < b.currency ? -1 : 1))
    .map(({ rank: _rank, ...candidate }) => candidate);
}

/** One index step for each currency, whatever the number of holdings. */
async function currencies({ run, tables, chain }: Place): Promise<readonly CurrencyCode[]> {
  const found: CurrencyCode[] = [];
  for (;;) {
    const [row] = await run(
      `SELECT min(currency) AS next FROM ${tables.holdings} WHERE chain = ? AND status = 'FREE' AND currency > ?`,
      [chain, found.at(-1) ?? ''],
    );
    const next = row === undefined ? null : textOrNull(row, 'next');
    if (next === null) return found;
    found.push(next);
  }
}

async function largestOf(place: Place, currency: CurrencyCode, limit: number): Promise<readonly SweepCandidate[]> {
  const { run, tables, dialect, chain } = place;
  const addresses = new Set([
    ...(await ofOneHolding(place, currency, limit)),
    ...(await ofSeveral(place, currency, limit)),
  ]);
  const rows = await run(
    `SELECT ref, address, address_index, units FROM ${tables.holdings}
     WHERE chain = ? AND currency = ? AND ${dialect.anyOf('address')} AND ${FREE} ORDER BY id`,
    [chain, currency, dialect.list([...addresses])],
  );
  return summed(rows.map(coinOf), currency)
    .sort((a, b) => (a.units === b.units ? (a.address < b.address ? -1 : 1) : a.units > b.units ? -1 : 1))
    .slice(0, limit);
}

/** Addresses with a single, large holding; those with several are found by their sums. */
async function ofOneHolding(
  { run, tables, dialect, chain }: Place,
  currency: CurrencyCode,
  limit: number,
): Promise<readonly string[]> {
  const order = [...dialect.bySize('units'), 'id'].map((column) => `${column} DESC`).join(', ');
  const another = `SELECT 1 FROM ${tables.holdings} f WHERE f.chain = h.chain AND f.currency = h.currency AND f.address = h.address
    AND f.status = 'FREE' AND f.further AND f.address_index IS NOT NULL`;
  const sql = `SELECT address FROM ${tables.holdings} h
    WHERE chain = ? AND currency = ? AND ${FREE} AND NOT further AND NOT EXISTS (${another}) ORDER BY ${order} LIMIT ?`;
  return (await run(sql, [chain, currency, limit])).map((row) => text(row, 'address'));
}

/** The largest addresses with several deposits. */
async function ofSeveral(
  { run, tables, dialect, chain }: Place,
  currency: CurrencyCode,
  limit: number,
): Promise<readonly string[]> {
  const several = `SELECT DISTINCT address FROM ${tables.holdings} WHERE chain = ? AND currency = ? AND ${FREE} AND further`;
  const rows = await run(
    `SELECT address FROM ${tables.holdings} WHERE chain = ? AND currency = ? AND ${dialect.anyFrom('address', several)} AND ${FREE}
     GROUP BY address ORDER BY ${dialect.roughSum('units')} DESC, address LIMIT ?`,
    [chain, currency, chain, currency, limit],
  );
  return rows.map((row) => text(row, 'address'));
}

function summed(coins: readonly SpendableCoin[], currency: CurrencyCode): SweepCandidate[] {
  const groups = new Map<string, { readonly index: number; units: bigint; readonly refs: string[] }>();
  for (const { address, index, units, ref } of coins) {
    const group = groups.get(address) ?? { index: index ?? 0, units: 0n, refs: [] };
    group.units += units;
    group.refs.push(ref);
    groups.set(address, group);
  }
  return [...groups].map(([address, group]) => ({ address, currency, ...group }));
}
