import { invalidField } from '../kernel/index.ts';
import type { BreachedPasswords, Millis } from '../kernel/index.ts';
import { isCommonPassword } from './common-passwords.ts';
import type { Account } from './account.ts';

/** Shorter words are parts of too many other words. */
const MIN_WORD = 4;
/** The fewest characters of a password outside the words that are associated with its account. */
const MIN_REST = 8;
/** The product's name is in every word list against accounts here (ASVS 6.1.2). */
const PRODUCT = 'tillgate';

/** The words that are associated with an account: those of its email, and the product's name. */
function wordsOf(email: string): readonly string[] {
  const words = email.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return [PRODUCT, ...words.filter((word) => word.length >= MIN_WORD)].sort((a, b) => b.length - a.length);
}

/** True for a password that consists of little more than words associated with its account. */
function isMadeOfOwnWords(password: string, email: string): boolean {
  const rest = wordsOf(email).reduce((text, word) => text.replaceAll(word, ''), password.toLowerCase());
  return Array.from(rest).length < MIN_REST;
}

/** The shortest accepted password, in characters. */
export const MIN_PASSWORD = 12;
/** The longest accepted password, in UTF-16 units, to bound the work of hashing. */
export const MAX_PASSWORD = 1024;
/** Half of a surrogate pair has no UTF-8 encoding: all of them would become the same bytes. */
const LONE_SURROGATE = /\p{Cs}/u;

/** The error message for an invalid new password of an account; `null` for a valid one. Other characters are free. */
export function passwordProblem(password: string, email: string): string | null {
  if (Array.from(password).length < MIN_PASSWORD || password.length > MAX_PASSWORD)
    return `must have ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`;
  if (LONE_SURROGATE.test(password)) return 'must be Unicode text';
  if (isCommonPassword(password)) return 'is one of the most common passwords: choose another one';
  return isMadeOfOwnWords(password, email)
    ? 'consists of the email address or the name of this software: choose other words'
    : null;
}

/** The password if it can be verified; `null` for one that no account can have. */
export function verifiablePassword(password: string): string | null {
  return password.length <= MAX_PASSWORD && !LONE_SURROGATE.test(password) ? password : null;
}

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
