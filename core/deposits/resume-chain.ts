import type { ChainCode, Storage } from '../kernel/index.ts';
import { TillgateError } from '../kernel/index.ts';

/**
 * Resumes a stopped chain after an operator has corrected its node. Following continues at the cursor; a node that
 * still disagrees stops it again.
 *
 * @returns the reason why it was stopped
 * @throws TillgateError `NOT_FOUND` for a chain that was never followed, `STATE_CONFLICT` for one that is not stopped
 */
export async function resumeChain({ chains }: Pick<Storage, 'chains'>, code: ChainCode): Promise<string> {
  const state = await chains.state(code);
  if (state === null)
    throw new TillgateError('NOT_FOUND', `The chain ${code} is not configured, or was never followed.`);
  if (state.haltedReason === null) throw new TillgateError('STATE_CONFLICT', `The chain ${code} is not stopped.`);
  await chains.setHalted(code, null);
  return state.haltedReason;
}
