import type { ChainCode } from '../../../../core/index.ts';
import type { Run } from '../dialects/dialect.ts';
import { text } from '../rows/values.ts';
import type { Tables } from '../tables.ts';

/** Why the payouts of a chain are stopped; `null` while they run. */
export async function payoutStop(run: Run, { payoutStops }: Tables, chain: ChainCode): Promise<string | null> {
  const [row] = await run(`SELECT reason FROM ${payoutStops} WHERE chain = ?`, [chain]);
  return row === undefined ? null : text(row, 'reason');
}
