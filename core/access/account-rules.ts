import { ACCOUNT_TRANSITIONS } from './account.ts';
import type { Account, AccountStatus } from './account.ts';
import { TillgateError } from '../kernel/index.ts';
import type { AccountId } from '../kernel/index.ts';
import type { Actor } from './actor.ts';

export type AdminState = Pick<Account, 'role' | 'status'>;

/** True when the table has this transition, or the status stays the same. */
export function canMove(from: AccountStatus, to: AccountStatus): boolean {
  return (
    from === to ||
    Object.values(ACCOUNT_TRANSITIONS).some(
      (move) => move.to === to && (move.from as readonly AccountStatus[]).includes(from),
    )
  );
}

const isActiveAdmin = ({ role, status }: AdminState): boolean => role === 'admin' && status === 'active';

/**
 * Keeps at least one active admin: an admin may not archive, disable or demote itself, nor the last active admin.
 *
 * @param admins - every active admin, locked
 * @throws TillgateError `STATE_CONFLICT`
 */
export function guardAdmins(actor: Actor, account: Account, next: AdminState, admins: readonly AccountId[]): void {
  const loses =
    (account.status === 'active' && next.status !== 'active') || (account.role === 'admin' && next.role !== 'admin');
  if (loses && account.id === actor.accountId) {
    throw new TillgateError('STATE_CONFLICT', 'You cannot archive, disable or demote yourself; ask another admin.');
  }
  if (isActiveAdmin(account) && !isActiveAdmin(next) && !admins.some((id) => id !== account.id)) {
    throw new TillgateError('STATE_CONFLICT', 'This is the last active admin; create another one first.');
  }
}
