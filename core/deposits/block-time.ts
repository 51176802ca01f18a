import type { Millis } from '../kernel/time.ts';
import type { BlockRef } from '../ports/block-ref.ts';
import type { ChainPolicy } from '../ports/chain-adapter.ts';
import type { WatchedAddress } from '../ports/deposit-store.ts';

/** By how much a block's time may be wrong, or before that of an earlier block, on any chain (Bitcoin's rule). */
export const BLOCK_TIME_SLACK_MS: Millis = 2 * 3_600_000;

/**
 * True when a block was made before an order got its address: what it pays was meant for somebody else. That is so when the
 * block was final by then, or is older by more than clocks may differ. The height alone is no proof, because the till may
 * have followed a wrong chain.
 */
export function isBeforeAddress(
  { height, time }: BlockRef,
  { assignedAt, assignedHeight }: Pick<WatchedAddress, 'assignedAt' | 'assignedHeight'>,
  { finalityBlocks, clockSkewMs = BLOCK_TIME_SLACK_MS }: Pick<ChainPolicy, 'finalityBlocks' | 'clockSkewMs'>,
): boolean {
  const wasFinal = assignedHeight !== null && height <= assignedHeight - finalityBlocks;
  return time < assignedAt - clockSkewMs || (wasFinal && time < assignedAt);
}
