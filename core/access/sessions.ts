import type { Account } from './account.ts';
import { emailProblem } from './account-fields.ts';
import { passwordHashOf, verifiablePassword } from './password-rules.ts';
import { KnownNetworks } from './known-networks.ts';
import { demandedFactors, factorNames, missingFactor } from './demanded-factors.ts';
import { present, TillgateError } from '../kernel/index.ts';
import type { AccountId, Clock, Digest, PasswordHasher, Random, Storage, Vault } from '../kernel/index.ts';
import type { PasskeyResponse } from './passkey-verifier.ts';
import { findByHash } from './find-by-hash.ts';
import type { AccountEntry } from './account-entry.ts';
import { recordNotFound } from './actor.ts';
import type { Actor } from './actor.ts';
import { createdWith, addAuditRow } from './audit.ts';
import type { AuditDeps } from './audit.ts';
import type { PasskeyRequestOptions } from './passkey-options.ts';
import type { Passkeys } from './passkeys.ts';
import type { SecondFactor } from './second-factor.ts';
import type { RefusedAttempts } from './refused-attempts.ts';
import { sessionId } from './session.ts';
import type { Session } from './session.ts';
import { isToBeNoted, lasts, openTimes } from './session-life.ts';
import type { OpenTimes, SessionLife } from './session-life.ts';
import { newSessionToken, SESSION_PREFIX } from './session-tokens.ts';

const PRUNE_BATCH = 100;
const MAX_USER_AGENT = 255;

export interface LoginInput {
  readonly email: string;
  readonly password: string;
  readonly totp?: string | undefined;
  /** The browser's answer to {@link Sessions.passkeyOptions}, instead of a code. */
  readonly passkey?: PasskeyResponse | undefined;
  /** True for a browser, which sends the token in a cookie. */
  readonly cookie?: boolean;
}

export interface LoginOrigin {
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly traceId: string | null;
}

/** A valid session with its account. */
export interface OpenSession {
  readonly session: Session;
  readonly account: Account;
  /** Required with each unsafe request of a browser; useless without the cookie. */
  readonly csrfToken: string;
}

/** A session with a new token, which is shown only here. */
export interface IssuedSession extends OpenSession {
  readonly token: string;
}

/** A new session. */
export interface NewSession extends IssuedSession {
  readonly entry: AccountEntry;
}

export interface SessionsDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'accounts' | 'sessions' | 'manage' | 'passkeys' | 'transaction'>;
  readonly hasher: PasswordHasher;
  readonly vault: Vault;
  readonly random: Random;
  readonly digest: Pick<Digest, 'equal' | 'sha256Hex'>;
  readonly clock: Clock;
  readonly secondFactor: SecondFactor;
  readonly passkeys: Passkeys;
  readonly refusedAttempts: Pick<RefusedAttempts, 'note'>;
  readonly life: SessionLife;
}

/** Logins to the management API. */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #networks: KnownNetworks;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    this.#networks = new KnownNetworks(deps);
  }

  /**
   * Opens a session.
   *
   * @throws TillgateError `LOGIN_FAILED`, the same for a wrong or expired password and an unknown user, after the same
   *   work; after the password was verified also `ACCOUNT_INACTIVE`, `VERIFY_CODE_INVALID`
   */
  async login(input: LoginInput, origin: LoginOrigin): Promise<NewSession> {
    const account = await this.#verifyActive(input, origin);
    const actor: Actor = { accountId: account.id, role: account.role, ip: origin.ip, traceId: origin.traceId };
    await this.#checkSecondFactor(account.id, input, actor);
    const { storage, clock, life } = this.#deps;
    const { token, tokenHash, csrfToken } = newSessionToken(this.#deps);
    const now = clock.now();
    const session: Session = {
      tokenHash,
      accountId: account.id,
      authVersion: account.authVersion,
      cookie: input.cookie ?? false,
      createdAt: now,
      expiresAt: now + life.ttlMs,
      lastUsedAt: now,
      raisedUntil: null,
      wrongPasswords: 0,
      ip: origin.ip,
      userAgent: origin.userAgent?.slice(0, MAX_USER_AGENT) ?? null,
    };
    // Removes expired sessions first, so that they do not count towards the limit.
    await storage.sessions.prune(openTimes(life, now), PRUNE_BATCH);
    await this.#store(session, actor);
    await this.#networks.note(account.id, origin.ip);
    const entry = present(await storage.manage.account(account.id), 'the account of a login');
    return { session, account, token, csrfToken, entry };
  }

  /**
   * The options for a passkey as the second factor of a login.
   *
   * @throws TillgateError as {@link login} for the password; `STATE_CONFLICT` for an account without a passkey
   */
  async passkeyOptions(
    input: Pick<LoginInput, 'email' | 'password'>,
    origin: LoginOrigin,
  ): Promise<PasskeyRequestOptions> {
    const { id: accountId } = await this.#verifyActive(input, origin);
    return this.#deps.passkeys.requestOptions({ accountId, purpose: 'login', sessionHash: null });
  }

  /**
   * The session of a token. Session and account are read from the database each time, so that a logout or a disabled
   * account is effective at once.
   *
   * @param cookie - whether the token came in a cookie: a browser's token is not accepted elsewhere
   * @throws TillgateError `SESSION_INVALID`, the same for unknown, ended, expired, idle and outdated sessions
   */
  async find(token: string, cookie: boolean): Promise<OpenSession> {
    const { storage, vault, clock, life } = this.#deps;
    const now = clock.now();
    const hashes = token.startsWith(SESSION_PREFIX) ? vault.lookupHashes('session', token) : [];
    const found = await findByHash(hashes, (hash) => storage.sessions.find(hash));
    if (found === null || !isOpen(found, openTimes(life, now)) || found.session.cookie !== cookie) {
      throw new TillgateError('SESSION_INVALID', 'The session is not valid.');
    }
    if (isToBeNoted(found.session, life, now)) await storage.sessions.noteUse(found.session.tokenHash, now);
    // The CSRF token is derived with the master key with which the session was opened.
    const key = hashes.indexOf(found.session.tokenHash);
    return { ...found, csrfToken: present(vault.lookupHashes('session-csrf', token)[key], 'the hash of a token') };
  }

  isCsrfToken({ csrfToken }: OpenSession, sent: string | null): boolean {
    const { digest } = this.#deps;
    // Both are hashed, to compare equal lengths in constant time.
    const bytes = (text: string): Uint8Array => Uint8Array.from(digest.sha256Hex(text), (digit) => digit.charCodeAt(0));
    return sent !== null && digest.equal(bytes(sent), bytes(csrfToken));
  }

  /** The remaining lifetime of a session in seconds. */
  secondsLeft({ expiresAt }: Session): number {
    return Math.max(0, Math.round((expiresAt - this.#deps.clock.now()) / 1000));
  }

  /** Ends a session; idempotent. */
  async end(actor: Actor, { tokenHash, accountId }: Session): Promise<void> {
    await this.#deps.storage.transaction(async (tx) => {
      if (!(await tx.sessions.end(tokenHash))) return;
      addAuditRow(this.#deps, tx, actor, { action: 'session.end', accountId, subjectId: accountId });
    });
  }

  /** The sessions of the actor's account, newest first. */
  list({ account }: OpenSession): Promise<readonly Session[]> {
    const { storage, life, clock } = this.#deps;
    return storage.sessions.ofAccount(account.id, openTimes(life, clock.now()));
  }

  /** Ends one of the account's sessions. @throws TillgateError `NOT_FOUND` */
  async endOne(actor: Actor, open: OpenSession, id: string): Promise<void> {
    const found = (await this.list(open)).find((session) => sessionId(session) === id);
    if (found === undefined) throw recordNotFound();
    await this.end(actor, found);
  }

  /** Ends every other session of the account; returns how many. */
  endOthers(actor: Actor, { account: { id }, session }: OpenSession): Promise<number> {
    return this.#deps.storage.transaction(async (tx) => {
      const ended = await tx.sessions.endAll(id, session.tokenHash);
      const changes = createdWith({ ended });
      addAuditRow(this.#deps, tx, actor, { action: 'session.end_others', accountId: id, subjectId: id, changes });
      return ended;
    });
  }

  async #verify(email: string, password: string, ip: string | null): Promise<Account> {
    const { storage, hasher, clock } = this.#deps;
    // Invalid emails are not looked up and long passwords not hashed completely, but they cost the same time.
    const account = emailProblem(email) === null ? await storage.accounts.findByEmail(email.toLowerCase()) : null;
    const text = verifiablePassword(password);
    const known = text === null ? null : account;
    const lane = await this.#networks.lane(known?.id ?? null, ip);
    const verified = await hasher.verify(text ?? '', passwordHashOf(known, clock.now()), lane);
    if (known !== null && verified) return known;
    this.#deps.refusedAttempts.note({ accountId: account?.id ?? null, ip, attempt: 'login' });
    throw new TillgateError('LOGIN_FAILED', 'The email or the password is wrong.');
  }

  /** The account of an email and its password, unless it is disabled. */
  async #verifyActive(
    { email, password }: Pick<LoginInput, 'email' | 'password'>,
    { ip }: LoginOrigin,
  ): Promise<Account> {
    const account = await this.#verify(email, password, ip);
    if (account.status === 'active') return account;
    this.#deps.refusedAttempts.note({ accountId: account.id, ip, attempt: 'login_of_inactive' });
    throw new TillgateError('ACCOUNT_INACTIVE', 'The account is disabled or archived.');
  }

  /** Checks a second factor where one is required; the first valid code confirms TOTP. */
  async #checkSecondFactor(accountId: AccountId, { totp, passkey }: LoginInput, actor: Actor): Promise<void> {
    const { storage, secondFactor, passkeys } = this.#deps;
    if (passkey !== undefined) return passkeys.use(actor, { accountId, purpose: 'login', sessionHash: null }, passkey);
    const enrolled = (await storage.manage.security(accountId)).totp !== null;
    if (enrolled && totp !== undefined) return secondFactor.use(accountId, totp, 'totp', { by: actor });
    const wanted = factorNames(await demandedFactors(storage, accountId));
    if (wanted.length > 0) throw missingFactor(wanted);
  }

  async #store(session: Session, actor: Actor): Promise<void> {
    const { accountId: id, createdAt: at, ip, userAgent, cookie } = session;
    const { storage, life } = this.#deps;
    await storage.transaction(async (tx) => {
      // Without the lock, concurrent logins would each miss the other's session when the oldest are ended.
      await tx.accounts.lock(id);
      await tx.sessions.create(session);
      const ended = await tx.sessions.endOldest(id, life.most, session.tokenHash);
      await tx.manage.noteLogin(id, { at, ip, userAgent });
      const changes = createdWith({ cookie, ...(ended === 0 ? {} : { ended }) });
      addAuditRow(this.#deps, tx, actor, { action: 'session.create', accountId: id, subjectId: id, changes });
    });
  }
}

function isOpen({ session, account }: Pick<OpenSession, 'session' | 'account'>, times: OpenTimes): boolean {
  return lasts(session, times) && account.status === 'active' && account.authVersion === session.authVersion;
}
