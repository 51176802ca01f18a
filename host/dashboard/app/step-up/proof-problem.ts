import type { ApiError } from '../api/api-error.ts';

/** The text for each proof of identity, by its field, when the server refuses it. */
const TEXTS: ReadonlyMap<string, string> = new Map([
  ['totp', 'tillgate.login.codeFailed'],
  ['passkey', 'tillgate.login.passkeyFailed'],
  ['password', 'tillgate.stepUp.passwordFailed'],
]);

/** The key of the text for a refused code, passkey or password; `null` for every other error. */
export function proofProblem({ problems }: ApiError): string | null {
  const refused = problems.find(({ path }) => TEXTS.has(path));
  return TEXTS.get(refused?.path ?? '') ?? null;
}
