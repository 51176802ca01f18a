import { passwordHashOf, verifiablePassword } from './password-rules.ts';
import { demandedFactors, factorNames } from './demanded-factors.ts';
import type { PasskeyRequestOptions } from './passkey-options.ts';
import type { PasskeyUse } from './passkey.ts';
import type { Passkeys } from './passkeys.ts';
import { invalidCode } from './second-factor.ts';
import type { SecondFactor } from './second-factor.ts';
import { invalidField, TillgateError } from '../kernel/index.ts';
import type { Clock, PasswordHasher, Storage, Transaction } from '../kernel/index.ts';
import type { PasskeyResponse } from './passkey-verifier.ts';
import type { Actor } from './actor.ts';
import { addAuditRow, createdWith } from './audit.ts';
import type { AuditAction } from './audit-actions.ts';
import type { AuditDeps } from './audit.ts';
import { isRaised, MAX_WRONG_PASSWORDS } from './session.ts';
import { newSessionToken } from './session-tokens.ts';
import type { SessionTokenDeps } from './session-tokens.ts';
import type { IssuedSession, OpenSession } from './sessions.ts';

/** How long a step-up lasts, in seconds; the default of the setting. */
export const DEFAULT_STEP_UP_SECONDS = 300;

/** The proof of a step-up: a code, a passkey, or the password of an account that needs no second factor. */
export interface StepUpProof {
  readonly totp?: string | undefined;
  /** The browser's answer to {@link StepUp.passkeyOptions}. */
  readonly passkey?: PasskeyResponse | undefined;
  readonly password?: string | undefined;
}

/** The kinds of {@link StepUpProof}. */
export const STEP_UP_PROOFS = ['totp', 'passkey', 'password'] as const;
export type StepUpProofName = (typeof STEP_UP_PROOFS)[number];

export interface StepUpDeps extends AuditDeps, SessionTokenDeps {
  readonly storage: Pick<Storage, 'manage' | 'passkeys' | 'transaction'>;
  readonly hasher: PasswordHasher;
  readonly secondFactor: SecondFactor;
  readonly passkeys: Passkeys;
  readonly clock: Clock;
  readonly stepUpSeconds: number;
}

/** A fresh factor unlocks critical actions of a session for a while, so that a stolen token alone moves no money. */
export class StepUp {
  readonly #deps: StepUpDeps;

  constructor(deps: StepUpDeps) {
    this.#deps = deps;
  }

  /**
   * Performs a step-up and replaces the session's token; the previous one is invalid.
   *
   * @throws TillgateError `VERIFY_CODE_INVALID`; `INVALID_FIELDS` for a wrong password; `SESSION_INVALID` after too
   *   many of them, and when another request has replaced the token meanwhile
   */
  async raise(actor: Actor, open: OpenSession, proof: StepUpProof): Promise<IssuedSession> {
    const { storage, clock, stepUpSeconds } = this.#deps;
    await this.#prove(actor, open, proof);
    const raisedUntil = clock.now() + stepUpSeconds * 1000;
    return storage.transaction(async (tx) => {
      const renewed = await this.renew(tx, { ...open, session: { ...open.session, raisedUntil } });
      this.#audit(tx, actor, open, 'session.step_up');
      return renewed;
    });
  }

  /**
   * Replaces the token of a session after a password or a factor was verified, so that a stolen previous token is
   * useless.
   *
   * @param open - the session as it continues, with its previous token
   * @throws TillgateError `SESSION_INVALID` when it has ended or already has another token
   */
  async renew(tx: Transaction, open: OpenSession): Promise<IssuedSession> {
    const { token, tokenHash, csrfToken } = newSessionToken(this.#deps);
    const session = { ...open.session, tokenHash, wrongPasswords: 0 };
    if (!(await tx.sessions.renew(open.session.tokenHash, session))) throw sessionOver();
    return { ...open, session, token, csrfToken };
  }

  /** The proofs that the account's sessions accept now; one is enough. */
  async proofsOf({ account }: Pick<OpenSession, 'account'>): Promise<readonly StepUpProofName[]> {
    const factors = factorNames(await demandedFactors(this.#deps.storage, account.id));
    return factors.length === 0 ? ['password'] : factors;
  }

  /** The options for a step-up with a passkey. @throws TillgateError `STATE_CONFLICT` */
  passkeyOptions(open: OpenSession): Promise<PasskeyRequestOptions> {
    return this.#deps.passkeys.requestOptions(useOf(open));
  }

  isRaised({ session }: OpenSession): boolean {
    return isRaised(session, this.#deps.clock.now());
  }

  /**
   * Verifies the password of a session's account. Each attempt is counted before it is verified, so that concurrent
   * ones count too, and the last wrong one ends the session: a thief who has only its token gains nothing more by
   * guessing.
   *
   * @param path - the field that contained the password
   * @throws TillgateError `INVALID_FIELDS`, `SESSION_INVALID`
   */
  async provePassword(actor: Actor, open: OpenSession, path: string, password: string | undefined): Promise<void> {
    if (password === undefined) throw invalidField(path, 'is required');
    const { storage, hasher, clock } = this.#deps;
    const { session, account } = open;
    const tries = await storage.transaction((tx) => tx.sessions.countPassword(session.tokenHash));
    if (tries === null || tries > MAX_WRONG_PASSWORDS) throw sessionOver();
    const text = verifiablePassword(password);
    if (text !== null && (await hasher.verify(text, passwordHashOf(account, clock.now()), account.id))) return;
    await storage.transaction(async (tx) => {
      this.#audit(tx, actor, open, 'security.password_refused', path);
      if (tries === MAX_WRONG_PASSWORDS && (await tx.sessions.end(session.tokenHash)))
        this.#audit(tx, actor, open, 'session.end');
    });
    throw invalidField(path, 'is wrong');
  }

  async #prove(actor: Actor, open: OpenSession, { totp, passkey, password }: StepUpProof): Promise<void> {
    const { storage, secondFactor, passkeys } = this.#deps;
    const { id } = open.account;
    if (passkey !== undefined) return passkeys.use(actor, useOf(open), passkey);
    const factors = await demandedFactors(storage, id);
    // The session is kept when its first code confirms a factor that an operator set up.
    const use = { by: actor, keepSession: open.session.tokenHash };
    if (factors.totp) return secondFactor.use(id, totp ?? null, 'totp', use);
    if (factors.passkeys > 0) throw invalidCode('passkey', 'is required');
    await this.provePassword(actor, open, 'password', password);
  }

  #audit(tx: Transaction, actor: Actor, { account }: OpenSession, action: AuditAction, field?: string): void {
    const changes = field === undefined ? {} : { changes: createdWith({ field }) };
    addAuditRow(this.#deps, tx, actor, { action, accountId: account.id, subjectId: account.id, ...changes });
  }
}

function useOf({ session, account }: OpenSession): PasskeyUse {
  return { accountId: account.id, purpose: 'step_up', sessionHash: session.tokenHash };
}

function sessionOver(): TillgateError {
  return new TillgateError('SESSION_INVALID', 'The session has ended: log in again.');
}
