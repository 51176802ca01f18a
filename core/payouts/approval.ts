import { TillgateError } from '../kernel/index.ts';
import type { AccountId, Transaction, TransferId } from '../kernel/index.ts';
import { countApprovers, requireApprover } from './approvers.ts';
import type { ApprovalRules } from './approvers.ts';
import { approveTransfer, requireApprovable } from './review-transfer.ts';
import type { Transfer } from './transfer.ts';

/** A transfer after an approval, and the number of valid approvals. */
export interface Approved {
  readonly transfer: Transfer;
  readonly count: number;
}

/**
 * Adds a person's approval to a held or delayed transfer, which is paid without further delay once `needed` different
 * persons have approved it: see {@link requireApprover}.
 *
 * @throws TillgateError `NOT_FOUND`; `FORBIDDEN` for an account that may not approve it; `STATE_CONFLICT` when it is
 *   not held, must not be paid now, or was approved by the same person
 */
export async function addApproval(
  tx: Transaction,
  id: TransferId,
  approverId: AccountId | null,
  rules: ApprovalRules,
): Promise<Approved> {
  const { now, needed } = rules;
  const held = await requireApprovable(tx, id, now);
  await requireApprover(tx, held, approverId, rules);
  const added = await tx.transfers.addApproval({ transferId: id, heldAt: held.updatedAt, approverId, at: now });
  // Approvals of an earlier hold do not count.
  const ofHold = (await tx.transfers.approvals(held.id)).filter(({ heldAt }) => heldAt === held.updatedAt);
  const approvers = ofHold.map((approval) => approval.approverId);
  const count = await countApprovers(tx, held, approvers, rules);
  if (!added && count < needed)
    throw new TillgateError('STATE_CONFLICT', 'You have approved it already; another admin has to approve it as well.');
  return count < needed ? { transfer: held, count } : { transfer: await approveTransfer(tx, id, now), count };
}
