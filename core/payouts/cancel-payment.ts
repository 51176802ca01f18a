import { present, stateConflict, TillgateError } from '../kernel/index.ts';
import type { Storage, Transaction, TransferId } from '../kernel/index.ts';
import type { LightningNode } from '../chain/index.ts';
import type { Transfer } from './transfer.ts';
import { nodeLifeHold } from './node-life.ts';

/**
 * Checks with the node that a signed payment may be cancelled: only one that it never had may be.
 *
 * @throws TillgateError `STATE_CONFLICT` when the node has the payment; `NOT_READY` without a node; `NODE_FAILED` when
 *   it does not answer
 */
export async function requireUnknownToNode(
  node: Pick<LightningNode, 'payment'> | null,
  { lightning }: Pick<Storage, 'lightning'>,
  id: TransferId,
): Promise<void> {
  if (node === null) throw new TillgateError('NOT_READY', 'No Lightning node is configured.');
  const { paymentHash } = present(await lightning.paymentOf(id), `payment of transfer ${id}`);
  const view = await node.payment(paymentHash);
  if (view === null) return;
  if (view.state === 'settled') throw stateConflict(`The node has paid ${paymentHash}; it is booked as paid shortly.`);
  throw stateConflict(
    view.state === 'failed'
      ? `The node could not pay ${paymentHash}: ${view.reason} The transfer fails shortly.`
      : `The node is still paying ${paymentHash}; the payment ends when the node reports its outcome.`,
  );
}

/**
 * Marks a signed payment, which the node never had, for cancellation. The payer checks with the node once more, and
 * fails the transfer when the node still does not have it, so that it cannot be paid as well. A lost answer of the node
 * delays this.
 *
 * @throws TillgateError `STATE_CONFLICT` when it is not signed, or while it is undecided whether the database is a
 *   restored backup or the node began again: the node may have paid it then
 */
export async function cancelPayment(tx: Transaction, transfer: Transfer, reason: string): Promise<void> {
  if (transfer.status !== 'SIGNED')
    throw stateConflict(
      transfer.status === 'BROADCAST'
        ? 'The payment was sent to the node and ends when the node reports its outcome.'
        : `The transfer is ${transfer.status}; it cannot be cancelled any more.`,
    );
  const hold = nodeLifeHold(await tx.lightning.lockLife());
  if (hold !== null) throw stateConflict(hold);
  if ((await tx.epochs.lock()).status === 'pending')
    throw stateConflict(
      'The database may be a restored backup, and the payment may have been made since: decide with "restore confirm" or "restore dismiss" first.',
    );
  await tx.lightning.cancel(transfer.id, reason);
}
