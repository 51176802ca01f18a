import { passwordProblem } from '../accounts/account-fields.ts';
import { invalidField, TillgateError } from '../kernel/errors.ts';
import type { AccountId } from '../kernel/ids.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { Storage } from '../ports/storage.ts';
import { recordNotFound, requireAdmin } from './actor.ts';
import type { Actor } from './actor.ts';
import { addAuditRow } from './audit.ts';
import type { AuditDeps } from './audit.ts';
import type { OpenSession } from './sessions.ts';
import type { StepUp } from './step-up.ts';

export interface PasswordsDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'accounts' | 'transaction'>;
  readonly hasher: PasswordHasher;
  readonly stepUp: StepUp;
}

/** Changes of passwords. Each ends the account's other sessions and its access tokens (decisions, section 11). */
export class Passwords {
  readonly #deps: PasswordsDeps;

  constructor(deps: PasswordsDeps) {
    this.#deps = deps;
  }

  /** Changes the password of the session's account; the session goes on. @throws TillgateError `INVALID_FIELDS`, `SESSION_INVALID`, `STATE_CONFLICT` */
  async change(actor: Actor, open: OpenSession, current: string, next: string): Promise<void> {
    const { account, session } = open;
    requireFit(next, account.email, 'new');
    await this.#deps.stepUp.provePassword(actor, open, 'current', current);
    await this.#set(actor, account.id, next, { was: account.passwordHash, session: session.tokenHash });
  }

  /** Sets a password without the former one; for the operator at the command line. @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, `INVALID_FIELDS` */
  async reset(actor: Actor, id: AccountId, next: string): Promise<void> {
    requireAdmin(actor);
    const account = await this.#deps.storage.accounts.find(id);
    if (account === null) throw recordNotFound();
    requireFit(next, account.email, 'password');
    await this.#set(actor, id, next, null);
  }

  async #set(
    actor: Actor,
    id: AccountId,
    next: string,
    proved: { readonly was: string; readonly session: string } | null,
  ): Promise<void> {
    const passwordHash = await this.#deps.hasher.hash(next);
    await this.#deps.storage.transaction(async (tx) => {
      const account = await tx.accounts.lock(id);
      if (account === null) throw recordNotFound();
      if (proved !== null && account.passwordHash !== proved.was)
        throw new TillgateError('STATE_CONFLICT', 'The password was changed just now.');
      const authVersion = account.authVersion + 1;
      await tx.accounts.update(id, { passwordHash, authVersion, modifiedAt: this.#deps.clock.now() });
      await tx.sessions.endAll(id, proved?.session ?? null);
      if (proved !== null) await tx.sessions.keep(proved.session, authVersion);
      const action = proved === null ? 'account.reset_password' : 'account.change_password';
      await addAuditRow(this.#deps, tx, actor, { action, accountId: id, subjectId: id });
    });
  }
}

function requireFit(password: string, email: string, path: string): void {
  const problem = passwordProblem(password, email);
  if (problem !== null) throw invalidField(path, problem);
}
