import type { Payout, PayoutView, ChainCode, InFlight, LiveTransfer } from '../../../../../core/index.ts';
import type { Dialect, Row, Run } from '../../dialects/dialect.ts';
import { names } from '../../rows/columns.ts';
import { ATTEMPT_COLUMNS, attemptOf, liveTransferOf, TRANSFER_COLUMNS, transferOf } from '../../rows/transfer-row.ts';
import { text, textOrNull, units } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';

interface Place {
  readonly tables: Tables;
  readonly dialect: Dialect;
}

/** Payouts, in their order, with their transfers and signed attempts. */
export async function payoutViews(
  run: Run,
  { tables, dialect }: Place,
  payouts: readonly Payout[],
): Promise<readonly PayoutView[]> {
  if (payouts.length === 0) return [];
  const ids = dialect.list(payouts.map(({ id }) => id));
  const of = async (table: string, columns: string, order: string): Promise<ReadonlyMap<string, readonly Row[]>> =>
    byPayout(await run(`SELECT ${columns} FROM ${table} WHERE ${dialect.anyOf('payout_id')} ORDER BY ${order}`, [ids]));
  const attempts = await of(tables.payoutAttempts, names(ATTEMPT_COLUMNS), 'payout_id, number');
  const transfers = await of(tables.transfers, names(TRANSFER_COLUMNS), 'id');
  return payouts.map((payout) => ({
    payout,
    attempts: (attempts.get(payout.id) ?? []).map(attemptOf),
    transfers: (transfers.get(payout.id) ?? []).map(transferOf),
  }));
}

function byPayout(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const id = text(row, 'payout_id');
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [row]);
    else group.push(row);
  }
  return groups;
}

/**
 * Outgoing amount by address and currency. A payout's fee counts once, whatever the number of its transfers and
 * attempts: one attempt is mined, at most the most expensive.
 */
export async function inFlight(run: Run, { tables, dialect }: Place, chain: ChainCode): Promise<readonly InFlight[]> {
  const paid = await run(
    `SELECT payout_id, source_address, currency, units FROM ${tables.transfers}
     WHERE chain = ? AND status IN ('SIGNED', 'BROADCAST') ORDER BY id`,
    [chain],
  );
  const ids = [...new Set(paid.map((row) => textOrNull(row, 'payout_id') ?? ''))];
  const fees = dearest(
    await run(`SELECT payout_id, fee_units FROM ${tables.payoutAttempts} WHERE ${dialect.anyOf('payout_id')}`, [
      dialect.list(ids),
    ]),
  );
  const sums = new Map<string, InFlight>();
  for (const row of paid) {
    const sourceAddress = text(row, 'source_address');
    const currency = text(row, 'currency');
    const key = `${sourceAddress} ${currency}`;
    const former = sums.get(key) ?? { sourceAddress, currency, units: 0n, nativeFeeUnits: 0n };
    const payoutId = textOrNull(row, 'payout_id') ?? '';
    const fee = fees.get(payoutId) ?? 0n;
    fees.delete(payoutId);
    sums.set(key, {
      ...former,
      units: former.units + units(row, 'units'),
      nativeFeeUnits: former.nativeFeeUnits + fee,
    });
  }
  return [...sums.values()];
}

/** Transfers that are neither CONFIRMED nor FAILED. */
export async function liveTransfers(
  run: Run,
  { transfers }: Tables,
  chain: ChainCode,
): Promise<readonly LiveTransfer[]> {
  const sql = `SELECT kind, status, account_id, deposit_id, currency, units, fee_units, max_fee_units, created_at FROM ${transfers}
    WHERE chain = ? AND status NOT IN ('CONFIRMED', 'FAILED')`;
  return (await run(sql, [chain])).map(liveTransferOf);
}

function dearest(attempts: readonly Row[]): Map<string, bigint> {
  const fees = new Map<string, bigint>();
  for (const row of attempts) {
    const fee = units(row, 'fee_units');
    if (fee > (fees.get(text(row, 'payout_id')) ?? -1n)) fees.set(text(row, 'payout_id'), fee);
  }
  return fees;
}
