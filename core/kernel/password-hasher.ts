import type { AccountId } from './ids.ts';
import { token } from './token.ts';

/** Slow password hashing. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /**
   * Verifies a password. With `stored` null, for an unknown user, does the same work and returns false.
   *
   * @param known - the account, for a caller who has a session or logs in from a network from which the account logged
   *   in before: this work has a queue of its own that strangers cannot fill; absent or null for a stranger
   */
  verify(password: string, stored: string | null, known?: AccountId | null): Promise<boolean>;
}

export const PASSWORD_HASHER = token<PasswordHasher>('PasswordHasher');
