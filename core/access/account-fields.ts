/** One `@` with text on both sides, no white space or control characters; delivery is not checked. */
const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u;
const CURRENCY = /^(?:\*|[A-Z0-9]{1,16}(?:-[A-Z0-9]{1,16})?)$/;
const NAME = /^\P{Cc}{0,255}$/u;

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
