import type { ChainCode } from '../../../../core/index.ts';
import type { Dialect, Run } from '../dialects/dialect.ts';
import { text } from '../rows/values.ts';
import type { Tables } from '../tables.ts';

/** Why the payouts of a chain are stopped; `null` while they run. */
export async function payoutStop(run: Run, { payoutStops }: Tables, chain: ChainCode): Promise<string | null> {
  const [row] = await run(`SELECT reason FROM ${payoutStops} WHERE chain = ?`, [chain]);
  return row === undefined ? null : text(row, 'reason');
}

/** Stops the payouts of a chain, or lets them go on with `null`. */
export async function setPayoutStop(
  run: Run,
  { tables: { payoutStops }, dialect }: { readonly tables: Tables; readonly dialect: Pick<Dialect, 'nowMs'> },
  chain: ChainCode,
  reason: string | null,
): Promise<void> {
  if (reason === null) await run(`DELETE FROM ${payoutStops} WHERE chain = ?`, [chain]);
  else
    await run(
      `INSERT INTO ${payoutStops} (chain, reason, stopped_at) VALUES (?, ?, ${dialect.nowMs})
       ON CONFLICT (chain) DO UPDATE SET reason = excluded.reason, stopped_at = excluded.stopped_at`,
      [chain, reason],
    );
}
