import type { JWTPayload } from 'jose';
import type { KeyObject } from 'node:crypto';
import { isId } from '../../core/index.ts';
import type { AccountId, Millis, TokenClaims, TokenIssuer } from '../../core/index.ts';
import { deriveSubKeys } from './master-keys.ts';
import type { MasterKeys, SubKey } from './master-keys.ts';

/** Loaded with the first token, since most commands need none. */
const jose = (): Promise<typeof import('jose')> => import('jose');

const ALGORITHM = 'HS256';
/** RFC 9068: the type keeps other kinds of tokens from being accepted as access tokens. */
const TYPE = 'at+jwt';
const LONGEST = 1024;

/** Issuer and audience of the tokens; both are verified. */
export interface JoseTokenIssuerOptions {
  readonly issuer?: string;
  readonly audience?: string;
}

/**
 * {@link TokenIssuer} with JSON Web Tokens: HS256 with a key derived from the master key. Algorithm, type, issuer and
 * audience are pinned. Tokens of a previous master key are accepted until they expire.
 */
export class JoseTokenIssuer implements TokenIssuer {
  readonly #current: SubKey;
  readonly #byId: ReadonlyMap<string, KeyObject>;
  readonly #issuer: string;
  readonly #audience: string;

  /** @throws TillgateError `CONFIG_INVALID` when a key does not have 32 bytes, or two are equal. */
  constructor(keys: MasterKeys, { issuer = 'tillgate', audience = 'tillgate-api' }: JoseTokenIssuerOptions = {}) {
    const subKeys = deriveSubKeys(keys, 'tillgate/access-token');
    this.#current = subKeys[0];
    this.#byId = new Map(subKeys.map(({ id, key }) => [id, key]));
    this.#issuer = issuer;
    this.#audience = audience;
  }

  async issue({ accountId, authVersion, issuedAt, expiresAt }: TokenClaims): Promise<string> {
    const { SignJWT } = await jose();
    // JWT times are seconds, with an optional fraction (RFC 7519, section 2).
    return new SignJWT({ ver: authVersion })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: this.#current.id })
      .setSubject(accountId)
      .setIssuer(this.#issuer)
      .setAudience(this.#audience)
      .setIssuedAt(issuedAt / 1000)
      .setExpirationTime(expiresAt / 1000)
      .sign(this.#current.key);
  }

  async read(text: string, now: Millis): Promise<TokenClaims | null> {
    const payload = text.length > LONGEST ? null : await this.#verify(text, now);
    const claims = payload === null ? null : readClaims(payload);
    // The library compares whole seconds; the fraction is compared here.
    return claims !== null && now < claims.expiresAt ? claims : null;
  }

  async #verify(text: string, now: Millis): Promise<JWTPayload | null> {
    const { decodeProtectedHeader, errors, jwtVerify } = await jose();
    try {
      const key = this.#byId.get(String(decodeProtectedHeader(text).kid));
      if (key === undefined) return null;
      const { payload } = await jwtVerify(text, key, {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer: this.#issuer,
        audience: this.#audience,
        requiredClaims: ['sub', 'iat', 'exp', 'ver'],
        currentDate: new Date(now),
      });
      return payload;
    } catch (error) {
      // Text that is not a token at all gives a TypeError; any other error is a defect.
      if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
      throw error;
    }
  }
}

function readClaims({ sub, iat, exp, ver }: JWTPayload): TokenClaims | null {
  if (sub === undefined || !isId(sub) || iat === undefined || exp === undefined || typeof ver !== 'number') return null;
  return {
    accountId: sub as AccountId,
    authVersion: ver,
    issuedAt: Math.round(iat * 1000),
    expiresAt: Math.round(exp * 1000),
  };
}
