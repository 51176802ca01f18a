import { token } from './token.ts';

/** Knows the passwords that data breaches have made public. */
export interface BreachedPasswords {
  /** Asked before a password is set, outside of transactions. False also where it cannot be found out; it never throws. */
  isBreached(password: string): Promise<boolean>;
}

export const BREACHED_PASSWORDS = token<BreachedPasswords>('BreachedPasswords');
