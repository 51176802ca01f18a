import type { Passkey } from './passkey.ts';
import { demandedFactors } from './demanded-factors.ts';
import { requirePasskeyRoom } from './passkeys.ts';
import type { Passkeys } from './passkeys.ts';
import type { PasskeyCreationOptions } from './passkey-options.ts';
import { isId, TillgateError } from '../kernel/index.ts';
import type { AccountId, PasskeyId, Storage, Transaction } from '../kernel/index.ts';
import type { NewPasskey, PasskeyResponse } from './passkey-verifier.ts';
import { recordNotFound, requireAccess, targetAccount } from './actor.ts';
import type { Actor } from './actor.ts';
import { addAuditRow, createdWith } from './audit.ts';
import type { AuditAction } from './audit-actions.ts';
import type { AuditDeps } from './audit.ts';
import { lockLive } from './lock-live.ts';
import type { OpenSession } from './sessions.ts';

/** The request to add a passkey. */
export interface AddPasskey {
  readonly name: string;
  readonly passkey: PasskeyResponse;
}

export interface ManagePasskeysDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'passkeys' | 'transaction'>;
  readonly passkeys: Passkeys;
}

/** The passkeys of accounts. Only an account itself can add and rename its own. */
export class ManagePasskeys {
  readonly #deps: ManagePasskeysDeps;

  constructor(deps: ManagePasskeysDeps) {
    this.#deps = deps;
  }

  /** Passkeys, oldest first, at most `MAX_PASSKEYS`. @throws TillgateError `NOT_FOUND` for another account */
  list(actor: Actor, wanted: AccountId | undefined): Promise<readonly Passkey[]> {
    return this.#deps.storage.passkeys.ofAccount(targetAccount(actor, wanted));
  }

  /** @throws TillgateError `STATE_CONFLICT` */
  options({ account, session }: OpenSession): Promise<PasskeyCreationOptions> {
    return this.#deps.passkeys.creationOptions(account, session.tokenHash);
  }

  /**
   * Adds a passkey to the session's account. The first second factor of an account ends the other sessions, which were
   * opened without it, and deletes a TOTP secret that was enrolled and never confirmed, because an attacker who had
   * enrolled it could confirm it later.
   *
   * @throws TillgateError `INVALID_FIELDS`; `STATE_CONFLICT` for a credential that is already registered, for an
   *   account with `MAX_PASSKEYS`, and for an archived one
   */
  async add(
    actor: Actor,
    { account, session }: OpenSession,
    { name, passkey: response }: AddPasskey,
  ): Promise<Passkey> {
    const { storage, passkeys, ids, clock } = this.#deps;
    const { id: accountId } = account;
    const use = { accountId, purpose: 'add', sessionHash: session.tokenHash } as const;
    const made: NewPasskey = await passkeys.verifyNew(actor, use, response);
    const passkey: Passkey = {
      ...made,
      id: ids.next() as PasskeyId,
      accountId,
      transports: response.response.transports ?? [],
      name,
      createdAt: clock.now(),
      lastUsedAt: null,
    };
    await storage.transaction(async (tx) => {
      await lockLive(tx, accountId);
      requirePasskeyRoom(await tx.passkeys.ofAccount(accountId));
      const { totp, passkeys: former } = await demandedFactors(tx, accountId);
      if (!(await tx.passkeys.add(passkey)))
        throw new TillgateError('STATE_CONFLICT', 'This passkey is registered already.');
      if (!totp && former === 0) await this.#firstFactor(tx, accountId, session.tokenHash);
      this.#audit(tx, actor, 'security.passkey_add', passkey);
    });
    return passkey;
  }

  /** @throws TillgateError `NOT_FOUND`, also for a passkey of another account; `STATE_CONFLICT` */
  rename(actor: Actor, id: PasskeyId, name: string): Promise<Passkey> {
    return this.#deps.storage.transaction(async (tx) => {
      const passkey = await lockPasskey(tx, id);
      if (passkey.accountId !== actor.accountId) throw recordNotFound();
      await tx.passkeys.rename(id, name);
      const changes = { name: { from: passkey.name, to: name } };
      const { accountId } = passkey;
      const action = 'security.passkey_rename';
      addAuditRow(this.#deps, tx, actor, { action, accountId, subjectId: id, changes });
      return { ...passkey, name };
    });
  }

  /**
   * Removes a passkey. Only an operator can remove the last second factor: an account that has one does not return to
   * its password alone.
   *
   * @param orLast - true to remove also the last second factor; for an operator at the command line
   * @throws TillgateError `NOT_FOUND`, also for a passkey of another account; `STATE_CONFLICT` for the last second
   *   factor, and for an archived account
   */
  remove(actor: Actor, id: PasskeyId, orLast = false): Promise<Passkey> {
    return this.#deps.storage.transaction(async (tx) => {
      const passkey = await lockPasskey(tx, id);
      requireAccess(actor, passkey.accountId);
      const { totp, passkeys } = await demandedFactors(tx, passkey.accountId);
      if (!orLast && !totp && passkeys === 1)
        throw new TillgateError('STATE_CONFLICT', "It is the account's last second factor: add another one first.");
      await tx.passkeys.remove(id);
      this.#audit(tx, actor, 'security.passkey_remove', passkey);
      return passkey;
    });
  }

  async #firstFactor(tx: Transaction, accountId: AccountId, keepSession: string): Promise<void> {
    const security = await tx.manage.security(accountId);
    if (security.totp !== null) await tx.manage.saveSecurity({ ...security, totp: null });
    await tx.sessions.endAll(accountId, keepSession);
  }

  #audit(tx: Transaction, actor: Actor, action: AuditAction, { id, accountId, name }: Passkey): void {
    addAuditRow(this.#deps, tx, actor, { action, accountId, subjectId: id, changes: createdWith({ name }) });
  }
}

/** The passkey, with its account locked. @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` for an archived account */
async function lockPasskey(tx: Transaction, id: PasskeyId): Promise<Passkey> {
  const found = isId(id) ? await tx.passkeys.find(id) : null;
  if (found === null) throw recordNotFound();
  await lockLive(tx, found.accountId);
  // It may have been removed before the lock.
  const passkey = await tx.passkeys.find(id);
  if (passkey === null) throw recordNotFound();
  return passkey;
}
