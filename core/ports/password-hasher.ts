import type { AccountId } from '../kernel/ids.ts';
import { token } from './token.ts';

/** Slow password hashing. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /**
   * `stored` is null for an unknown user: the same work is done, and the result is false.
   *
   * @param known - the account, of somebody who has a session or logs in from a network that it logged in from before: its work waits
   * in a lane that strangers cannot fill; absent or null for a stranger
   */
  verify(password: string, stored: string | null, known?: AccountId | null): Promise<boolean>;
}

export const PASSWORD_HASHER = token<PasswordHasher>('PasswordHasher');
