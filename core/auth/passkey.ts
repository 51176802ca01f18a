import type { AccountId, PasskeyId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** How many passkeys an account may have. */
export const MAX_PASSKEYS = 10;
/** How many challenges for the same use wait for an answer; the oldest go first. */
export const MAX_CHALLENGES = 5;
/** How long a challenge can be answered. */
export const CHALLENGE_TTL_MS = 5 * 60_000;

/** A credential of an authenticator (WebAuthn). Nothing of it is secret. */
export interface Passkey {
  readonly id: PasskeyId;
  readonly accountId: AccountId;
  /** In base64url; unique in the till. */
  readonly credentialId: string;
  /** A COSE key, in base64url. */
  readonly publicKey: string;
  /** The authenticator's counter at the latest signature; 0 for one that does not count. */
  readonly signCount: number;
  /** How browsers reach the authenticator, as they said. */
  readonly transports: readonly string[];
  /** The account's own name for it. */
  readonly name: string;
  readonly createdAt: Millis;
  readonly lastUsedAt: Millis | null;
}

/** What a challenge was given out for. */
export type PasskeyPurpose = 'add' | 'login' | 'step_up';

/** What an answer is accepted for: one account, one purpose, and one session where there is one already. */
export interface PasskeyUse {
  readonly accountId: AccountId;
  readonly purpose: PasskeyPurpose;
  /** The hash of the session's token; `null` at a login. */
  readonly sessionHash: string | null;
}

/** A challenge as it is stored: what was given out is known only by its hash. */
export interface PasskeyChallenge extends PasskeyUse {
  readonly hash: string;
  readonly expiresAt: Millis;
}

/** True for a challenge that was given out for this use and can still be answered. */
export function isFor(challenge: PasskeyChallenge, use: PasskeyUse, now: Millis): boolean {
  const { accountId, purpose, sessionHash, expiresAt } = challenge;
  return accountId === use.accountId && purpose === use.purpose && sessionHash === use.sessionHash && now < expiresAt;
}

/**
 * True when a counter went up, or the authenticator does not count. One that did not go up is of a copy of the authenticator
 * (WebAuthn level 2, section 6.1.1).
 */
export function countsUp(former: number, next: number): boolean {
  return next > former || (next === 0 && former === 0);
}
