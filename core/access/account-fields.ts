import { isCommonPassword } from './common-passwords.ts';
import { isMadeOfOwnWords } from './own-words.ts';

/** One `@` with text on both sides, no white space or control characters; delivery is not checked. */
const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u;
const CURRENCY = /^(?:\*|[A-Z0-9]{1,16}(?:-[A-Z0-9]{1,16})?)$/;
const NAME = /^\P{Cc}{0,255}$/u;
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

/** The error message for an invalid email; `null` for a valid one. */
export function emailProblem(email: string): string | null {
  return EMAIL.test(email) ? null : 'must be an email address';
}

/** The error message for an invalid name of an account or credential; `null` for a valid one. */
export function nameProblem(name: string): string | null {
  return NAME.test(name) ? null : 'must have at most 255 characters and no control character';
}

/** The error message for an invalid list of verified currencies; `null` for a valid one. */
export function currenciesProblem(currencies: readonly string[]): string | null {
  return currencies.every((code) => CURRENCY.test(code)) ? null : 'must be a list of currency codes, or *';
}
