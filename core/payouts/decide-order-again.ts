import type { Millis, Transaction } from '../kernel/index.ts';
import type { Transfer } from './transfer.ts';

/**
 * Marks the order of a refund that ended so that its rules are applied again, because no payment moved the order while
 * the refund was in progress. Does nothing for other transfers.
 */
export async function decideOrderAgain(
  tx: Transaction,
  { kind, orderId }: Pick<Transfer, 'kind' | 'orderId'>,
  now: Millis,
): Promise<void> {
  if (kind === 'refund' && orderId !== null) await tx.orders.decideAgain(orderId, now);
}
