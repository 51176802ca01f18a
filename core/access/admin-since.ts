import type { Millis } from '../kernel/index.ts';
import type { Account, AccountRole } from './account.ts';

/** {@link Account.adminSince} of an account whose role, password or second factor another person has just set. */
export function adminSinceOf(role: AccountRole, now: Millis): Millis | null {
  return role === 'admin' ? now : null;
}

/**
 * The time from which an account may decide, as an independent person, about a request made at `askedAt`; `null` when
 * it never may, because another person made it an admin, or set its password or its second factor, at that time or
 * later.
 */
export function decidesFrom(
  { role, adminSince }: Pick<Account, 'role' | 'adminSince'>,
  askedAt: Millis,
  holdMs: Millis,
): Millis | null {
  return role !== 'admin' || adminSince === null || adminSince >= askedAt ? null : adminSince + holdMs;
}
