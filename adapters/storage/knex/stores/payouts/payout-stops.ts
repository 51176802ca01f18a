import type { ChainCode } from '../../../../../core/index.ts';
import type { Dialect, Run } from '../../dialects/dialect.ts';
import { text } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';

/** The reason why the payouts of a chain are stopped; `null` while they run. */
export async function payoutStop(run: Run, { payoutStops }: Tables, chain: ChainCode): Promise<string | null> {
  const [row] = await run(`SELECT reason FROM ${payoutStops} WHERE chain = ?`, [chain]);
  return row === undefined ? null : text(row, 'reason');
}

type StopTables = { readonly tables: Tables; readonly dialect: Pick<Dialect, 'nowMs'> };

/** Stops the payouts of a chain, whatever stopped them before. */
export async function setPayoutStop(
  run: Run,
  { tables: { payoutStops }, dialect }: StopTables,
  chain: ChainCode,
  reason: string,
): Promise<void> {
  await run(
    `INSERT INTO ${payoutStops} (chain, reason, stopped_at) VALUES (?, ?, ${dialect.nowMs})
     ON CONFLICT (chain) DO UPDATE SET reason = excluded.reason, stopped_at = excluded.stopped_at`,
    [chain, reason],
  );
}

/**
 * Compare-and-set of the reason; each case is one statement, so that the database decides between concurrent changes.
 */
export async function replacePayoutStop(
  run: Run,
  { tables: { payoutStops }, dialect }: StopTables,
  chain: ChainCode,
  [from, to]: readonly [from: string | null, to: string | null],
): Promise<boolean> {
  const rows =
    from === null
      ? await run(
          `INSERT INTO ${payoutStops} (chain, reason, stopped_at) VALUES (?, ?, ${dialect.nowMs})
           ON CONFLICT (chain) DO NOTHING RETURNING chain`,
          [chain, to],
        )
      : to === null
        ? await run(`DELETE FROM ${payoutStops} WHERE chain = ? AND reason = ? RETURNING chain`, [chain, from])
        : await run(
            `UPDATE ${payoutStops} SET reason = ?, stopped_at = ${dialect.nowMs} WHERE chain = ? AND reason = ? RETURNING chain`,
            [to, chain, from],
          );
  return rows.length > 0;
}
