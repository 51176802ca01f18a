import type { BlockRef, Millis } from '../kernel/index.ts';
import type { ChainPolicy, WatchedAddress } from '../chain/index.ts';

/** The largest error of a block's time, in milliseconds, even against an earlier block's (Bitcoin's rule). */
export const BLOCK_TIME_SLACK_MS: Millis = 2 * 3_600_000;

/**
 * True when a block was mined before an order got its address, so that its payments were meant for someone else: the
 * block was final by then, or is older by more than clocks may differ. The height alone is no proof, because the till
 * may have followed a wrong chain.
 */
export function isBeforeAddress(
  { height, time }: BlockRef,
  { assignedAt, assignedHeight }: Pick<WatchedAddress, 'assignedAt' | 'assignedHeight'>,
  { finalityBlocks, clockSkewMs = BLOCK_TIME_SLACK_MS }: Pick<ChainPolicy, 'finalityBlocks' | 'clockSkewMs'>,
): boolean {
  const wasFinal = assignedHeight !== null && height <= assignedHeight - finalityBlocks;
  return time < assignedAt - clockSkewMs || (wasFinal && time < assignedAt);
}
