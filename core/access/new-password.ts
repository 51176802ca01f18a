import { invalidField } from '../kernel/index.ts';
import type { BreachedPasswords } from '../kernel/index.ts';

/**
 * The last check of a new password, before it is hashed and outside of transactions, because it may take seconds.
 *
 * @param path - the field's name in the API
 * @throws TillgateError `INVALID_FIELDS` for a password that a data breach has made public
 */
export async function requireUnbreached(breached: BreachedPasswords, password: string, path: string): Promise<void> {
  if (await breached.isBreached(password))
    throw invalidField(path, 'was found in a data breach; choose another password');
}
