import type { Account } from '../access/index.ts';
import { decidesFrom } from '../access/index.ts';
import { formatInstant, TillgateError } from '../kernel/index.ts';
import type { AccountId, Millis, Transaction, TransferId } from '../kernel/index.ts';
import { approveTransfer, requireApprovable } from './review-transfer.ts';
import type { Transfer } from './transfer.ts';

/** A transfer after an approval, and the number of valid approvals. */
export interface Approved {
  readonly transfer: Transfer;
  readonly count: number;
}

/** The rules for valid approvals. */
export interface ApprovalRules {
  readonly now: Millis;
  /** The number of different persons who must approve. */
  readonly needed: number;
  /** How long an account must have been an admin before its approvals count, in milliseconds. */
  readonly holdMs: Millis;
}

/**
 * Adds a person's approval to a held transfer, which becomes REQUESTED again once `needed` different persons have
 * approved it: admins who are active now and were admins before the request and for the hold, and an operator at the
 * command line, who counts as one. The owner and the requester do not count. Without the hold, one admin could act as
 * two persons by creating another admin or setting its password.
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
  if (isConcerned(held, approverId))
    throw new TillgateError('FORBIDDEN', 'Another admin must approve this: it is your own request or account.');
  const approver = approverId === null ? null : await tx.accounts.lockShared(approverId);
  if (approver !== null) requireDecides(approver, held, rules);
  const added = await tx.transfers.addApproval({ transferId: id, heldAt: held.updatedAt, approverId, at: now });
  const count = await countApprovals(tx, held, rules);
  if (!added && count < needed)
    throw new TillgateError('STATE_CONFLICT', 'You have approved it already; another admin has to approve it as well.');
  return count < needed ? { transfer: held, count } : { transfer: await approveTransfer(tx, id, now), count };
}

/** @throws TillgateError `FORBIDDEN` for an account whose approval would not count */
function requireDecides(approver: Account, { createdAt }: Transfer, { now, holdMs }: ApprovalRules): void {
  const from = decidesFrom(approver, createdAt, holdMs);
  if (from !== null && from <= now) return;
  throw new TillgateError(
    'FORBIDDEN',
    from === null
      ? 'Your account was made an admin, or its password or second factor was set by somebody else, after this was asked for: another admin must approve it.'
      : `Your account was made an admin, or its password or second factor was set by somebody else, a short while ago: it approves from ${formatInstant(from)} on.`,
  );
}

/**
 * Counts approvals of this hold by persons who may approve now: accounts that were disabled, demoted or taken over
 * since do not count.
 */
async function countApprovals(tx: Transaction, held: Transfer, { now, holdMs }: ApprovalRules): Promise<number> {
  let count = 0;
  for (const { approverId, heldAt } of await tx.transfers.approvals(held.id)) {
    if (heldAt !== held.updatedAt || isConcerned(held, approverId)) continue;
    const approver = approverId === null ? null : await tx.accounts.lockShared(approverId);
    const from = approver === null ? null : decidesFrom(approver, held.createdAt, holdMs);
    if (approverId === null || (approver?.status === 'active' && from !== null && from <= now)) count += 1;
  }
  return count;
}

function isConcerned({ accountId, requestedBy = null }: Transfer, approverId: AccountId | null): boolean {
  return approverId !== null && (approverId === accountId || approverId === requestedBy);
}
