import { adminSinceOf } from './admin-since.ts';
import type { Account } from './account.ts';
import { passwordProblem, requireUnbreached } from './password-rules.ts';
import { invalidField, TillgateError } from '../kernel/index.ts';
import type { AccountId, BreachedPasswords, Millis, PasswordHasher, Storage, Transaction } from '../kernel/index.ts';
import { recordNotFound, requireAdmin } from './actor.ts';
import type { Actor } from './actor.ts';
import { addAuditRow } from './audit.ts';
import type { AuditAction } from './audit-actions.ts';
import type { AuditDeps } from './audit.ts';
import type { IssuedSession, OpenSession } from './sessions.ts';
import type { StepUp } from './step-up.ts';

export interface PasswordsDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'accounts' | 'transaction'>;
  readonly hasher: PasswordHasher;
  readonly breachedPasswords: BreachedPasswords;
  readonly stepUp: StepUp;
  /** How long a temporary password, set by another person, can be used, in milliseconds. */
  readonly temporaryPasswordMs: Millis;
}

/** Changes of passwords. Each ends the account's other sessions and its access tokens. */
export class Passwords {
  readonly #deps: PasswordsDeps;

  constructor(deps: PasswordsDeps) {
    this.#deps = deps;
  }

  /**
   * Changes the password of the session's account; the session continues with a new token. @throws TillgateError
   * `INVALID_FIELDS`, `SESSION_INVALID`, `STATE_CONFLICT`
   */
  async change(actor: Actor, open: OpenSession, current: string, next: string): Promise<IssuedSession> {
    const { id, email, passwordHash } = open.account;
    requireFit(next, email, 'new');
    if (next === current) throw invalidField('new', 'must differ from the current password');
    const { stepUp, storage, breachedPasswords } = this.#deps;
    // Checked before the current password is verified, because that counts as an attempt until the password is changed.
    await requireUnbreached(breachedPasswords, next, 'new');
    await stepUp.provePassword(actor, open, 'current', current);
    const nextHash = await this.#deps.hasher.hash(next);
    return storage.transaction(async (tx) => {
      const account = await lockAccount(tx, id);
      if (account.passwordHash !== passwordHash)
        throw new TillgateError('STATE_CONFLICT', 'The password was changed just now.');
      const authVersion = await this.#set(tx, account, nextHash, null);
      await tx.sessions.endAll(id, open.session.tokenHash);
      const renewed = await stepUp.renew(tx, { ...open, session: { ...open.session, authVersion } });
      this.#audit(tx, actor, id, 'account.change_password');
      return renewed;
    });
  }

  /**
   * Sets a temporary password without verifying the current one; for an operator at the command line.
   *
   * @returns when it expires, unless it is changed before
   * @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, `INVALID_FIELDS`
   */
  async reset(actor: Actor, id: AccountId, next: string): Promise<Millis> {
    requireAdmin(actor);
    const account = await this.#deps.storage.accounts.find(id);
    if (account === null) throw recordNotFound();
    requireFit(next, account.email, 'password');
    const { hasher, storage, clock, temporaryPasswordMs, breachedPasswords } = this.#deps;
    await requireUnbreached(breachedPasswords, next, 'password');
    const nextHash = await hasher.hash(next);
    const expiresAt = clock.now() + temporaryPasswordMs;
    await storage.transaction(async (tx) => {
      const account = await lockAccount(tx, id);
      await this.#set(tx, account, nextHash, expiresAt);
      const now = clock.now();
      await tx.accounts.update(id, { adminSince: adminSinceOf(account.role, now), modifiedAt: now });
      await tx.sessions.endAll(id);
      this.#audit(tx, actor, id, 'account.reset_password');
    });
    return expiresAt;
  }

  /** Returns the account's new `authVersion`; access tokens with the previous one are refused. */
  async #set(
    tx: Transaction,
    { id, authVersion }: Account,
    passwordHash: string,
    passwordExpiresAt: Millis | null,
  ): Promise<number> {
    const next = authVersion + 1;
    const modifiedAt = this.#deps.clock.now();
    await tx.accounts.update(id, { passwordHash, passwordExpiresAt, authVersion: next, modifiedAt });
    return next;
  }

  #audit(tx: Transaction, actor: Actor, id: AccountId, action: AuditAction): void {
    addAuditRow(this.#deps, tx, actor, { action, accountId: id, subjectId: id });
  }
}

async function lockAccount(tx: Transaction, id: AccountId): Promise<Account> {
  const account = await tx.accounts.lock(id);
  if (account === null) throw recordNotFound();
  return account;
}

function requireFit(password: string, email: string, path: string): void {
  const problem = passwordProblem(password, email);
  if (problem !== null) throw invalidField(path, problem);
}
