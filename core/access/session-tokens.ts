import { base62, SECRET_PREFIXES } from './key-text.ts';
import type { Random, Vault } from '../kernel/index.ts';

export const SESSION_PREFIX = SECRET_PREFIXES.session;

/** A new token of a session, of 256 random bits. */
export interface SessionToken {
  readonly token: string;
  /** The stored hash of the token. */
  readonly tokenHash: string;
  /** Required with each unsafe request of a browser; useless without the cookie. */
  readonly csrfToken: string;
}

export interface SessionTokenDeps {
  readonly vault: Pick<Vault, 'lookupHash'>;
  readonly random: Random;
}

/** Creates the token of a session: at the login, at each step-up, and when the password is changed. */
export function newSessionToken({ vault, random }: SessionTokenDeps): SessionToken {
  const token = SESSION_PREFIX + base62(random.bytes(32));
  return {
    token,
    tokenHash: vault.lookupHash('session', token),
    csrfToken: vault.lookupHash('session-csrf', token),
  };
}
