import { ACCOUNT_TRANSITIONS } from '../accounts/account.ts';
import type { Account, AccountStatus } from '../accounts/account.ts';
import { TillgateError } from '../kernel/errors.ts';
import type { AccountId } from '../kernel/ids.ts';
import type { Actor } from './actor.ts';

export type Standing = Pick<Account, 'role' | 'status'>;

/** True when the table has this move, or there is nothing to move. */
export function mayMove(from: AccountStatus, to: AccountStatus): boolean {
  return from === to || Object.values(ACCOUNT_TRANSITIONS).some((move) => move.to === to && (move.from as readonly AccountStatus[]).includes(from));
}

const governs = ({ role, status }: Standing): boolean => role === 'admin' && status === 'active';

/**
 * Refuses what would leave nobody in charge: nobody archives, disables or demotes itself, nor the last active admin
 * (decisions, section 9).
 *
 * @param admins - every active admin, locked
 * @throws TillgateError `STATE_CONFLICT`
 */
export function guardAdmins(actor: Actor, account: Account, next: Standing, admins: readonly AccountId[]): void {
  const loses = (account.status === 'active' && next.status !== 'active') || (account.role === 'admin' && next.role !== 'admin');
  if (loses && account.id === actor.accountId) {
    throw new TillgateError('STATE_CONFLICT', 'Nobody archives, disables or demotes itself; ask another admin.');
  }
  if (governs(account) && !governs(next) && !admins.some((id) => id !== account.id)) {
    throw new TillgateError('STATE_CONFLICT', 'This is the last active admin; make another one first.');
  }
}
