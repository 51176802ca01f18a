import { emailProblem, MAX_PASSWORD } from '../accounts/account-fields.ts';
import { TillgateError } from '../kernel/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { Storage } from '../ports/storage.ts';
import type { TokenIssuer } from '../ports/token-issuer.ts';

/** What endpoint 14 answers. */
export interface AccessToken {
  readonly accessToken: string;
  readonly expireSeconds: number;
}

export interface ExchangeTokenDeps {
  readonly storage: Pick<Storage, 'accounts'>;
  readonly hasher: PasswordHasher;
  readonly tokens: TokenIssuer;
  readonly clock: Clock;
  /** The life of an access token; 3600 unless configured. */
  readonly tokenTtlSeconds: number;
}

/** Exchanges an account's email and password for an access token (specification, endpoint 14; decisions, section 3). */
export class ExchangeToken {
  readonly #deps: ExchangeTokenDeps;

  constructor(deps: ExchangeTokenDeps) {
    this.#deps = deps;
  }

  /**
   * @throws TillgateError `LOGIN_FAILED`, the same for a wrong password and an unknown user and after the same work;
   *   once the password has verified: `ACCOUNT_INACTIVE`, `SIGNATURE_REQUIRED`.
   */
  async run(username: string, password: string): Promise<AccessToken> {
    const { storage, hasher, tokens, clock, tokenTtlSeconds } = this.#deps;
    // What can be nobody's name or password is not looked up or hashed whole, and is wrong at the usual cost.
    const account = emailProblem(username) === null ? await storage.accounts.findByEmail(username.toLowerCase()) : null;
    const known = password.length <= MAX_PASSWORD ? account : null;
    const verified = await hasher.verify(password.slice(0, MAX_PASSWORD), known?.passwordHash ?? null);
    if (known === null || !verified) {
      throw new TillgateError('LOGIN_FAILED', 'The username or the password is wrong.');
    }
    // 40301 is the table's answer for a disabled account. It goes only to whoever knows the password, so it tells nobody else.
    if (known.status !== 'active') throw new TillgateError('ACCOUNT_INACTIVE', 'The account is disabled or archived.');
    if (known.dataSecurity) {
      throw new TillgateError('SIGNATURE_REQUIRED', 'This account has Data Security enabled: sign the request.');
    }
    const issuedAt = clock.now();
    const expiresAt = issuedAt + tokenTtlSeconds * 1000;
    const accessToken = await tokens.issue({ accountId: known.id, authVersion: known.authVersion, issuedAt, expiresAt });
    return { accessToken, expireSeconds: tokenTtlSeconds };
  }
}
