import type { AccountId, ChainCode, CoinPlace, NewHolding, PayoutId, TakenCoins } from '../../../../../core/index.ts';
import type { Row } from '../../dialects/dialect.ts';
import { names } from '../../rows/columns.ts';
import { HOLDING_COLUMNS } from '../../rows/transfer-row.ts';
import { integer, text, textOrNull, units as unitsOf } from '../../rows/values.ts';
import type { Session } from '../../session.ts';

/** Takes all coins or none: rows are locked and counted first, so that a refusal has nothing to undo. */
export async function takeHoldings(
  { run, tables, dialect }: Session,
  chain: ChainCode,
  refs: readonly string[],
  payoutId: PayoutId,
): Promise<boolean> {
  const wanted = [...new Set(refs)];
  const list = dialect.list(wanted);
  // Locked in a fixed order, so that two transactions that take the same coins cannot deadlock.
  const free = await run(
    `SELECT ref FROM ${tables.holdings} WHERE chain = ? AND ${dialect.anyOf('ref')} AND status = 'FREE' AND frozen_at IS NULL ORDER BY ref ${dialect.forUpdate}`,
    [chain, list],
  );
  if (free.length < wanted.length) return false;
  await run(
    `UPDATE ${tables.holdings} SET status = 'TAKEN', payout_id = ? WHERE chain = ? AND ${dialect.anyOf('ref')}`,
    [payoutId, chain, list],
  );
  return true;
}

/**
 * A coin that a reorganisation has removed stays GONE. When its payout is void, it is detached from the payout, so that
 * it comes back as a free coin.
 */
export async function settleHoldings(
  { run, tables, dialect }: Session,
  payoutId: PayoutId,
  to: 'SPENT' | 'FREE',
): Promise<void> {
  const { holdings, payouts } = tables;
  // Coins come back under this row's lock: either before this statement or after the payout's end is committed.
  await run(`SELECT id FROM ${payouts} WHERE id = ? ${dialect.forUpdate}`, [payoutId]);
  if (to === 'SPENT')
    await run(`UPDATE ${holdings} SET status = 'SPENT' WHERE payout_id = ? AND status = 'TAKEN'`, [payoutId]);
  else {
    await run(
      `UPDATE ${holdings} SET status = CASE status WHEN 'TAKEN' THEN 'FREE' ELSE status END, payout_id = NULL
       WHERE payout_id = ? AND status IN ('TAKEN', 'GONE')`,
      [payoutId],
    );
  }
}

export async function ownerOfChange(
  { run, tables, dialect }: Session,
  payoutId: PayoutId,
  payer: AccountId | null,
): Promise<AccountId | null> {
  const others = payer === null ? 'account_id IS NOT NULL' : '(account_id IS NULL OR account_id <> ?)';
  const order = dialect
    .bySize('units')
    .map((column) => `${column} DESC`)
    .join(', ');
  const [largest] = await run(
    `SELECT account_id FROM ${tables.holdings} WHERE payout_id = ? AND ${others} ORDER BY ${order}, id LIMIT 1`,
    payer === null ? [payoutId] : [payoutId, payer],
  );
  return largest === undefined ? payer : (textOrNull(largest, 'account_id') as AccountId | null);
}

/** Adds a new coin, or restores one that was GONE. */
export async function addHolding(session: Session, holding: NewHolding): Promise<boolean> {
  if (await insert(session, holding)) return true;
  await exchange(session, holding);
  return (await insert(session, holding)) || comeBack(session, holding);
}

async function insert(session: Session, holding: NewHolding): Promise<boolean> {
  const { run, tables } = session;
  const { holdings } = tables;
  const marks = HOLDING_COLUMNS.map(() => '?').join(', ');
  const values = HOLDING_COLUMNS.map(({ of }) => of({ ...holding, status: 'FREE', payoutId: null }));
  // Coins that arrive where coins are frozen are frozen too: their contract refuses the address.
  const beside = `FROM ${holdings} WHERE chain = ? AND currency = ? AND address = ? AND frozen_at IS NOT NULL`;
  const place = [holding.chain, holding.currency, holding.address];
  const added = await run(
    `INSERT INTO ${holdings} (${names(HOLDING_COLUMNS)}, account_id, further, frozen_at, frozen_reason)
     VALUES (${marks}, ?, EXISTS (SELECT 1 FROM ${holdings} WHERE chain = ? AND currency = ? AND address = ?),
       (SELECT max(frozen_at) ${beside}), (SELECT max(frozen_reason) ${beside}))
     ON CONFLICT (chain, ref) DO NOTHING RETURNING ref`,
    [...values, holding.accountId ?? null, ...place, ...place, ...place],
  );
  return added.length > 0;
}

/**
 * When a GONE coin comes back with other facts, as a contract's payment may, the former one keeps its payout under
 * another reference, because the payout takes it from its address whatever the present one brings. One with these facts
 * that was kept so before gets its reference again.
 */
async function exchange({ run, tables, dialect }: Session, holding: NewHolding): Promise<void> {
  const { holdings } = tables;
  const { chain, ref, address, currency, units } = holding;
  const [row] = await run(
    `SELECT id, address, currency, units, payout_id FROM ${holdings} WHERE chain = ? AND ref = ? AND status = 'GONE' ${dialect.forUpdate}`,
    [chain, ref],
  );
  if (row === undefined) return;
  if (text(row, 'address') === address && text(row, 'currency') === currency && unitsOf(row, 'units') === units) return;
  const same = await run(
    `SELECT id, ref FROM ${holdings} WHERE chain = ? AND currency = ? AND address = ? AND units = ? AND status = 'GONE'`,
    [chain, currency, address, String(units)],
  );
  const former = same.find((each) => text(each, 'ref') === keptRef(ref, each));
  if (former === undefined && textOrNull(row, 'payout_id') === null) return;
  const rename = `UPDATE ${holdings} SET ref = ? WHERE id = ?`;
  await run(rename, [keptRef(ref, row), integer(row, 'id')]);
  if (former !== undefined) await run(rename, [ref, integer(former, 'id')]);
}

function keptRef(ref: string, row: Row): string {
  return `${ref}~${integer(row, 'id')}`;
}

/**
 * A coin that is mined again belongs to the payout that took it, as long as signed bytes that spend it can be mined or
 * were mined: as a free coin it would be spent twice. With other facts it is another coin that no payout has taken.
 */
async function comeBack(
  { run, tables, dialect }: Session,
  { chain, ref, address, index, currency, units, accountId }: NewHolding,
): Promise<boolean> {
  const { holdings, payouts } = tables;
  // The lock orders this with the closing of the payout.
  const [payout] = await run(
    `SELECT status FROM ${payouts} WHERE id = (SELECT payout_id FROM ${holdings}
       WHERE chain = ? AND ref = ? AND address = ? AND currency = ? AND units = ?) ${dialect.forShare}`,
    [chain, ref, address, currency, String(units)],
  );
  const owned = payout === undefined ? null : text(payout, 'status');
  const status = owned === 'LIVE' ? 'TAKEN' : owned === 'DONE' ? 'SPENT' : 'FREE';
  const owner: readonly [string, string | null][] = accountId === undefined ? [] : [['account_id = ?, ', accountId]];
  const back = await run(
    `UPDATE ${holdings} SET status = ?, payout_id = ${status === 'FREE' ? 'NULL' : 'payout_id'}, ${owner.map(([sql]) => sql).join('')}
       address = ?, address_index = ?, currency = ?, units = ?
     WHERE chain = ? AND ref = ? AND status = 'GONE' RETURNING ref`,
    [status, ...owner.map(([, id]) => id), address, index, currency, String(units), chain, ref],
  );
  return back.length > 0;
}

/** The coin keeps its payout, whose signed bytes still spend it. */
export async function dropHolding({ run, tables }: Session, chain: ChainCode, ref: string): Promise<boolean> {
  return (
    (
      await run(
        `UPDATE ${tables.holdings} SET status = 'GONE', frozen_at = NULL WHERE chain = ? AND ref = ? RETURNING ref`,
        [chain, ref],
      )
    ).length > 0
  );
}

/** Omits coins whose deposit is live again, because they become SPENT with that deposit. */
export async function lockTaken(
  { run, tables, dialect }: Session,
  { chain, address, currency }: CoinPlace,
): Promise<readonly TakenCoins[]> {
  const rows = await run(
    `SELECT ref, units FROM ${tables.holdings} AS h WHERE chain = ? AND currency = ? AND address = ? AND status = 'GONE'
       AND EXISTS (SELECT 1 FROM ${tables.payouts} AS p WHERE p.id = h.payout_id AND p.status = 'DONE')
       AND NOT EXISTS (SELECT 1 FROM ${tables.deposits} AS d WHERE d.chain = h.chain AND d.to_address = h.address
         AND d.currency = h.currency AND d.units = h.units AND d.status <> 'ORPHANED' AND d.txid || ':' || d.tx_index = h.ref)
     ORDER BY id ${dialect.forUpdate}`,
    [chain, currency, address],
  );
  return rows.map((row) => ({ ref: text(row, 'ref'), units: unitsOf(row, 'units') }));
}

/** A part of the coins gets a row of its own. */
export async function passTaken(
  { run, tables }: Session,
  chain: ChainCode,
  { ref: from, units }: TakenCoins,
  ref: string,
): Promise<void> {
  const { holdings } = tables;
  const [row] = await run(`SELECT units FROM ${holdings} WHERE chain = ? AND ref = ?`, [chain, from]);
  const rest = row === undefined ? 0n : unitsOf(row, 'units') - units;
  if (rest === 0n) {
    await run(`UPDATE ${holdings} SET ref = ? WHERE chain = ? AND ref = ?`, [ref, chain, from]);
    return;
  }
  const others = HOLDING_COLUMNS.map(({ name }) => name).filter((name) => name !== 'ref' && name !== 'units');
  const columns = [...others, 'account_id', 'further'].join(', ');
  await run(
    `INSERT INTO ${holdings} (ref, units, ${columns}) SELECT ?, ?, ${columns} FROM ${holdings} WHERE chain = ? AND ref = ?`,
    [ref, String(units), chain, from],
  );
  await run(`UPDATE ${holdings} SET units = ? WHERE chain = ? AND ref = ?`, [String(rest), chain, from]);
}
