import type { AccountId, Millis, PasskeyId } from '../kernel/index.ts';

/** The most passkeys of an account. */
export const MAX_PASSKEYS = 10;
/** The most unanswered challenges for the same use; the oldest are dropped first. */
export const MAX_CHALLENGES = 5;
/** How long a challenge can be answered, in milliseconds. */
export const CHALLENGE_TTL_MS = 5 * 60_000;

/** A credential of an authenticator (WebAuthn). It contains no secret. */
export interface Passkey {
  readonly id: PasskeyId;
  readonly accountId: AccountId;
  /** In base64url; unique in the till. */
  readonly credentialId: string;
  /** A COSE key, in base64url. */
  readonly publicKey: string;
  /** The authenticator's counter at the latest signature; 0 for one without a counter. */
  readonly signCount: number;
  /** The transports by which browsers reach the authenticator, as reported at registration. */
  readonly transports: readonly string[];
  /** The name that the account chose. */
  readonly name: string;
  readonly createdAt: Millis;
  readonly lastUsedAt: Millis | null;
}

/** The purpose of a challenge. */
export type PasskeyPurpose = 'add' | 'login' | 'step_up';

/** The use for which an answer is accepted: one account, one purpose and, except at a login, one session. */
export interface PasskeyUse {
  readonly accountId: AccountId;
  readonly purpose: PasskeyPurpose;
  /** The hash of the session's token; `null` at a login. */
  readonly sessionHash: string | null;
}

/** A stored challenge; only the hash of its value is stored. */
export interface PasskeyChallenge extends PasskeyUse {
  readonly hash: string;
  readonly expiresAt: Millis;
}

/** True for a challenge that was issued for this use and has not expired. */
export function isFor(challenge: PasskeyChallenge, use: PasskeyUse, now: Millis): boolean {
  const { accountId, purpose, sessionHash, expiresAt } = challenge;
  return accountId === use.accountId && purpose === use.purpose && sessionHash === use.sessionHash && now < expiresAt;
}

/**
 * True when a counter increased, or when the authenticator has none. A counter that did not increase indicates a copy
 * of the authenticator (WebAuthn level 2, section 6.1.1).
 */
export function countsUp(former: number, next: number): boolean {
  return next > former || (next === 0 && former === 0);
}
