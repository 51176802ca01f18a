import type { Millis } from '../kernel/index.ts';
import type { Account } from './account.ts';

/** How long a password that another person set can be used, in seconds; the default of the setting. */
export const DEFAULT_TEMPORARY_PASSWORD_SECONDS = 3 * 86_400;

/** True while the account has a password that another person set: it must be changed before anything else. */
export function mustChangePassword({ passwordExpiresAt }: Pick<Account, 'passwordExpiresAt'>): boolean {
  return passwordExpiresAt !== null;
}

/** The hash for verifying a password; `null` for an unknown account or an expired password, at the same cost. */
export function passwordHashOf(account: Account | null, now: Millis): string | null {
  if (account === null) return null;
  const { passwordHash, passwordExpiresAt } = account;
  return passwordExpiresAt === null || now < passwordExpiresAt ? passwordHash : null;
}
