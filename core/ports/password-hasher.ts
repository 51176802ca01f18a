import { token } from './token.ts';

/** Slow password hashing. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** `stored` is null for an unknown user: the same work is done, and the result is false. */
  verify(password: string, stored: string | null): Promise<boolean>;
}

export const PASSWORD_HASHER = token<PasswordHasher>('PasswordHasher');
