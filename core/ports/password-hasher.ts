import { token } from './token.ts';

/** Slow password hashing. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** `stored` null stands for an unknown user: the same work is done, the answer is false. */
  verify(password: string, stored: string | null): Promise<boolean>;
}

export const PASSWORD_HASHER = token<PasswordHasher>('PasswordHasher');
