import { mustSign } from './data-security.ts';
import { emailProblem } from './account-fields.ts';
import { mustChangePassword, passwordHashOf, verifiablePassword } from './password-rules.ts';
import { TillgateError } from '../kernel/index.ts';
import type { Clock, PasswordHasher, Storage, TokenIssuer } from '../kernel/index.ts';
import type { RefusedAttempts } from './refused-attempts.ts';
import { KnownNetworks } from './known-networks.ts';

/** The reply to a login with username and password. */
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
  /** The lifetime of an access token in seconds; 3600 by default. */
  readonly tokenTtlSeconds: number;
}

/** Exchanges an account's email and password for an access token. */
export class ExchangeToken {
  readonly #deps: ExchangeTokenDeps;
  readonly #networks: KnownNetworks;

  constructor(deps: ExchangeTokenDeps) {
    this.#deps = deps;
    this.#networks = new KnownNetworks(deps);
  }

  /**
   * @param ip - the client's address, where it is known
   * @throws TillgateError `LOGIN_FAILED`, the same for a wrong password and an unknown user and after the same work;
   *   after the password was verified also `ACCOUNT_INACTIVE`, `FORBIDDEN` for a temporary password,
   *   `SIGNATURE_REQUIRED`
   */
  async run(username: string, password: string, ip: string | null = null): Promise<AccessToken> {
    const { storage, hasher, tokens, clock, refusedAttempts, tokenTtlSeconds } = this.#deps;
    // An invalid name or password is refused after the same work, without a look-up and without hashing all of it.
    const account = emailProblem(username) === null ? await storage.accounts.findByEmail(username.toLowerCase()) : null;
    const text = verifiablePassword(password);
    const known = text === null ? null : account;
    const lane = await this.#networks.lane(known?.id ?? null, ip);
    const verified = await hasher.verify(text ?? '', passwordHashOf(known, clock.now()), lane);
    if (known === null || !verified) {
      refusedAttempts.note({ accountId: account?.id ?? null, ip, attempt: 'login' });
      throw new TillgateError('LOGIN_FAILED', 'The username or the password is wrong.');
    }
    // Checked only after the password was verified, so that no one else learns the account's status.
    if (known.status !== 'active') {
      refusedAttempts.note({ accountId: known.id, ip, attempt: 'login_of_inactive' });
      throw new TillgateError('ACCOUNT_INACTIVE', 'The account is disabled or archived.');
    }
    if (mustChangePassword(known))
      throw new TillgateError(
        'FORBIDDEN',
        'The password is temporary, because it was set by another person: change it in the management API first.',
      );
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
