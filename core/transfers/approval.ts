import { TillgateError } from '../kernel/errors.ts';
import type { AccountId, TransferId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Transaction } from '../ports/storage.ts';
import { approveTransfer, requireApprovable } from './review-transfer.ts';
import type { Transfer } from './transfer.ts';

/** A transfer after an approval, and how many have counted. */
export interface Approved {
  readonly transfer: Transfer;
  readonly count: number;
}

/**
 * Adds a person's approval to a held transfer, which is REQUESTED again once `needed` different persons have approved it: admins
 * who are active now, and the operator at the command line, who counts as one. Neither the
 * owner nor who requested it is one of them.
 *
 * @throws TillgateError `NOT_FOUND`; `FORBIDDEN` for these two; `STATE_CONFLICT` when it is not held, must not be paid now, or was
 * approved by the same person
 */
export async function addApproval(
  tx: Transaction,
  id: TransferId,
  approverId: AccountId | null,
  { now, needed }: { readonly now: Millis; readonly needed: number },
): Promise<Approved> {
  const held = await requireApprovable(tx, id, now);
  if (isConcerned(held, approverId))
    throw new TillgateError('FORBIDDEN', 'Another admin must approve this: it is your own request or account.');
  const added = await tx.transfers.addApproval({ transferId: id, heldAt: held.updatedAt, approverId, at: now });
  const count = await countApprovals(tx, held);
  if (!added && count < needed)
    throw new TillgateError('STATE_CONFLICT', 'You have approved it already; another admin has to approve it as well.');
  return count < needed ? { transfer: held, count } : { transfer: await approveTransfer(tx, id, now), count };
}

/** Approvals of this hold by persons who may approve now: an account that was disabled or demoted since counts no more. */
async function countApprovals(tx: Transaction, held: Transfer): Promise<number> {
  let count = 0;
  for (const { approverId, heldAt } of await tx.transfers.approvals(held.id)) {
    if (heldAt !== held.updatedAt || isConcerned(held, approverId)) continue;
    const approver = approverId === null ? null : await tx.accounts.lockShared(approverId);
    if (approverId === null || (approver?.status === 'active' && approver.role === 'admin')) count += 1;
  }
  return count;
}

function isConcerned({ accountId, requestedBy = null }: Transfer, approverId: AccountId | null): boolean {
  return approverId !== null && (approverId === accountId || approverId === requestedBy);
}
