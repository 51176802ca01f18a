/** One `@`, something on both sides, no white space or control character; whether mail arrives there is not asked. */
const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u;
const CURRENCY = /^(?:\*|[A-Z0-9]{1,16}(?:-[A-Z0-9]{1,16})?)$/;
const NAME = /^\P{Cc}{0,255}$/u;
const MIN_PASSWORD = 8;
/** The longest password that is hashed, in UTF-16 units: more would only be work. */
export const MAX_PASSWORD = 1024;

/** What is wrong with a password, in words; `null` for nothing. */
export function passwordProblem(password: string): string | null {
  const fits = password.length >= MIN_PASSWORD && password.length <= MAX_PASSWORD;
  return fits ? null : `must have ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`;
}

/** What is wrong with an email, in words; `null` for nothing. */
export function emailProblem(email: string): string | null {
  return EMAIL.test(email) ? null : 'must be an email address';
}

/** What is wrong with the name of an account or credential, in words; `null` for nothing. */
export function nameProblem(name: string): string | null {
  return NAME.test(name) ? null : 'must have at most 255 characters and no control character';
}

/** What is wrong with a list of verified currencies, in words; `null` for nothing. */
export function currenciesProblem(currencies: readonly string[]): string | null {
  return currencies.every((code) => CURRENCY.test(code)) ? null : 'must be a list of currency codes, or *';
}
