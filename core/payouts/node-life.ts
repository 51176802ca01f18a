import { LIGHTNING_ASSET } from '../kernel/index.ts';
import type { Millis } from '../kernel/index.ts';
import type { ChainState } from '../chain/index.ts';
import type { LightningPayment } from './lightning-payment.ts';

/**
 * An operator's decision about a life of the node. `pending`: nothing is paid. `confirmed`: the node began again;
 * payments that were sent to it before and that it does not have are HELD. `dismissed`: it has lost nothing, and
 * payments continue.
 */
export type NodeLifeStatus = 'pending' | 'confirmed' | 'dismissed';

/** One life of the Lightning node's database: since its first use, or since it began again under the same key. */
export interface NodeLife {
  /** 1 for the first life. */
  readonly number: number;
  readonly status: NodeLifeStatus;
  /** The reason for which the life was begun. */
  readonly reason: string;
  readonly startedAt: Millis;
}

/** The cursor before the first settlement, used when a follower starts over. */
export const FIRST_SETTLEMENT = '';

/** The cursor from which settlements are read; `null` for the first one. */
export function settlementCursor(state: Pick<ChainState, 'cursor'> | null): string | null {
  const hash = state?.cursor?.hash ?? FIRST_SETTLEMENT;
  return hash === FIRST_SETTLEMENT ? null : hash;
}

/** Whether a payment was sent to an earlier life of the node, so that the present one does not know its outcome. */
export function isOfFormerLife(
  { number, status, startedAt }: NodeLife,
  { givenAt }: Pick<LightningPayment, 'givenAt'>,
): boolean {
  return number > 1 && status !== 'dismissed' && givenAt !== null && givenAt <= startedAt;
}

/** Why nothing is paid over Lightning; `null` when no decision is pending. */
export function nodeLifeHold({ status, reason }: NodeLife): string | null {
  return status === 'pending'
    ? `${reason} Nothing is paid over ${LIGHTNING_ASSET.chain} until an operator runs "tillgate lightning confirm" or "tillgate lightning dismiss".`
    : null;
}
