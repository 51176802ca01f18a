import type { Millis } from '../kernel/time.ts';
import type { Account } from './account.ts';

/** How long a password that somebody else set can be used; the setting's default. */
export const DEFAULT_TEMPORARY_PASSWORD_SECONDS = 3 * 86_400;

/** True while somebody else has set the account's password: whoever logs in with it has to change it before anything else. */
export function mustChangePassword({ passwordExpiresAt }: Pick<Account, 'passwordExpiresAt'>): boolean {
  return passwordExpiresAt !== null;
}

/** The hash that a password is verified by; `null` for an unknown account and for an expired password, which cost the same work. */
export function passwordHashOf(account: Account | null, now: Millis): string | null {
  if (account === null) return null;
  const { passwordHash, passwordExpiresAt } = account;
  return passwordExpiresAt === null || now < passwordExpiresAt ? passwordHash : null;
}
