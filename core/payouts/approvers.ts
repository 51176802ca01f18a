import type { Account } from '../access/index.ts';
import { decidesFrom } from '../access/index.ts';
import { formatInstant, TillgateError } from '../kernel/index.ts';
import type { AccountId, Millis, Transaction } from '../kernel/index.ts';

/** What other persons have to approve. */
export interface AskedApproval {
  /** The account whose money it is; `null` for none. */
  readonly accountId: AccountId | null;
  /** The account that asked for it; `null` for a credential, and for the operator at the command line. */
  readonly requestedBy?: AccountId | null;
  readonly createdAt: Millis;
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
 * Checks that an approval of this account would count: an admin who is active now, and was an admin before the request
 * and for the hold, and neither the owner nor the requester. Without the hold, one admin could act as two persons by
 * creating another admin or setting its password.
 *
 * @param approverId - `null` for the operator at the command line, who counts as one person
 * @throws TillgateError `FORBIDDEN`
 */
export async function requireApprover(
  tx: Pick<Transaction, 'accounts'>,
  asked: AskedApproval,
  approverId: AccountId | null,
  rules: Pick<ApprovalRules, 'now' | 'holdMs'>,
): Promise<void> {
  if (isConcerned(asked, approverId))
    throw new TillgateError('FORBIDDEN', 'Another admin must approve this: it is your own request or account.');
  const approver = approverId === null ? null : await tx.accounts.lockShared(approverId);
  if (approver !== null) requireDecides(approver, asked, rules);
}

/** @throws TillgateError `FORBIDDEN` for an account whose approval would not count */
function requireDecides(
  approver: Account,
  { createdAt }: AskedApproval,
  { now, holdMs }: Pick<ApprovalRules, 'now' | 'holdMs'>,
): void {
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
 * Counts the persons among these who may approve now: accounts that were disabled, demoted or taken over since do not
 * count.
 */
export async function countApprovers(
  tx: Pick<Transaction, 'accounts'>,
  asked: AskedApproval,
  approverIds: readonly (AccountId | null)[],
  { now, holdMs }: Pick<ApprovalRules, 'now' | 'holdMs'>,
): Promise<number> {
  let count = 0;
  for (const approverId of approverIds) {
    if (isConcerned(asked, approverId)) continue;
    const approver = approverId === null ? null : await tx.accounts.lockShared(approverId);
    const from = approver === null ? null : decidesFrom(approver, asked.createdAt, holdMs);
    if (approverId === null || (approver?.status === 'active' && from !== null && from <= now)) count += 1;
  }
  return count;
}

function isConcerned({ accountId, requestedBy = null }: AskedApproval, approverId: AccountId | null): boolean {
  return approverId !== null && (approverId === accountId || approverId === requestedBy);
}
