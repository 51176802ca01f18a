import { token } from './token.ts';

/** Checks passwords against those made public by data breaches. */
export interface BreachedPasswords {
  /** Called before a password is set, outside transactions. Returns false also when the check fails; never throws. */
  isBreached(password: string): Promise<boolean>;
}

export const BREACHED_PASSWORDS = token<BreachedPasswords>('BreachedPasswords');
