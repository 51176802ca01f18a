import { mustSign } from '../accounts/data-security.ts';
import { emailProblem, verifiablePassword } from '../accounts/account-fields.ts';
import { mustChangePassword, passwordHashOf } from '../accounts/temporary-password.ts';
import { TillgateError } from '../kernel/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { Storage } from '../ports/storage.ts';
import type { TokenIssuer } from '../ports/token-issuer.ts';
import type { RefusedAttempts } from '../manage/refused-attempts.ts';
import { KnownNetworks } from './known-networks.ts';

/** The reply of endpoint 14. */
export interface AccessToken {
  readonly accessToken: string;
  readonly expireSeconds: number;
}

export interface ExchangeTokenDeps {
  readonly storage: Pick<Storage, 'accounts'>;
  readonly hasher: PasswordHasher;
  readonly tokens: TokenIssuer;
  readonly clock: Clock;
  readonly refusedAttempts: Pick<RefusedAttempts, 'note'>;
  /** The lifetime of an access token; 3600 by default. */
  readonly tokenTtlSeconds: number;
}

/** Exchanges an account's email and password for an access token (specification, endpoint 14; decisions, section 3). */
export class ExchangeToken {
  readonly #deps: ExchangeTokenDeps;
  readonly #networks: KnownNetworks;

  constructor(deps: ExchangeTokenDeps) {
    this.#deps = deps;
    this.#networks = new KnownNetworks(deps);
  }

  /**
   * @param ip - whence it comes, where that is known
   * @throws TillgateError `LOGIN_FAILED`, the same for a wrong password and an unknown user and after the same work;
   *   once the password has verified: `ACCOUNT_INACTIVE`, `FORBIDDEN` for a temporary one, `SIGNATURE_REQUIRED`.
   */
  async run(username: string, password: string, ip: string | null = null): Promise<AccessToken> {
    const { storage, hasher, tokens, clock, refusedAttempts, tokenTtlSeconds } = this.#deps;
    // An impossible name or password is refused after the same work, without a look-up or hashing all of it.
    const account = emailProblem(username) === null ? await storage.accounts.findByEmail(username.toLowerCase()) : null;
    const text = verifiablePassword(password);
    const known = text === null ? null : account;
    const lane = await this.#networks.lane(known?.id ?? null, ip);
    const verified = await hasher.verify(text ?? '', passwordHashOf(known, clock.now()), lane);
    if (known === null || !verified) {
      refusedAttempts.note({ accountId: account?.id ?? null, ip, attempt: 'login' });
      throw new TillgateError('LOGIN_FAILED', 'The username or the password is wrong.');
    }
    // Only after the password was verified, so that nobody else learns the account's status.
    if (known.status !== 'active') {
      refusedAttempts.note({ accountId: known.id, ip, attempt: 'login_of_inactive' });
      throw new TillgateError('ACCOUNT_INACTIVE', 'The account is disabled or archived.');
    }
    if (mustChangePassword(known))
      throw new TillgateError('FORBIDDEN', 'Somebody else set the password: change it first, in the management API.');
    const issuedAt = clock.now();
    if (mustSign(known, issuedAt)) {
      throw new TillgateError('SIGNATURE_REQUIRED', 'This account has Data Security enabled: sign the request.');
    }
    await this.#networks.note(known.id, ip);
    const expiresAt = issuedAt + tokenTtlSeconds * 1000;
    const accessToken = await tokens.issue({
      accountId: known.id,
      authVersion: known.authVersion,
      issuedAt,
      expiresAt,
    });
    return { accessToken, expireSeconds: tokenTtlSeconds };
  }
}
