import type { AccountId } from './ids.ts';
import type { Millis } from './time.ts';
import { token } from './token.ts';

/** The claims of an access token. */
export interface TokenClaims {
  readonly accountId: AccountId;
  /** The account's `authVersion` at issue; a token with an older one is refused. */
  readonly authVersion: number;
  readonly issuedAt: Millis;
  readonly expiresAt: Millis;
}

/** Signs and verifies the access tokens that a login returns. */
export interface TokenIssuer {
  issue(claims: TokenClaims): Promise<string>;
  /** The claims of a token; `null` for anything that is not a valid, unexpired token of this service. */
  read(text: string, now: Millis): Promise<TokenClaims | null>;
}

export const TOKEN_ISSUER = token<TokenIssuer>('TokenIssuer');
