import type { Millis } from '../kernel/time.ts';
import type { BlockRef } from '../ports/block-ref.ts';
import type { ChainPolicy } from '../ports/chain-adapter.ts';
import type { WatchedAddress } from '../ports/deposit-store.ts';

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
