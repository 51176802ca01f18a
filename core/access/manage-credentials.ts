import type { CallbackSecrets, Credential, CredentialSecrets } from './account.ts';
import {
  callbackContext,
  credentialContext,
  credentialRecord,
  credentialTerms,
  sealCallbackSecrets,
} from './credential-record.ts';
import type { CredentialRequest, CredentialTerms } from './credential-record.ts';
import { CALLBACK_OVERLAP_MS } from './rotate-callback-credential.ts';
import { newCallbackSecrets, newCredentialSecrets } from './key-text.ts';
import { SCOPES } from './scopes.ts';
import { formatInstant, masked, present, TillgateError } from '../kernel/index.ts';
import type {
  AccountId,
  CredentialId,
  Millis,
  NewestQuery,
  Random,
  Storage,
  Transaction,
  Vault,
} from '../kernel/index.ts';
import {
  accountNotFound,
  listScope,
  recordNotFound,
  requireAccess,
  requireOwnSecret,
  seesSecrets,
  targetAccount,
} from './actor.ts';
import type { Actor } from './actor.ts';
import { createdWith, addAuditRow } from './audit.ts';
import type { AuditDeps } from './audit.ts';
import { newestPage } from './list-cursor.ts';
import type { AccountListInput, CursorPage, ListDeps } from './list-cursor.ts';

/** A credential for lists. */
export interface MaskedCredential {
  readonly credential: Credential;
  /** The first and last characters of the key. */
  readonly apiKey: string;
  readonly apiToken: string;
}

/** A credential in plain text, with the account's callback secrets. It must not be logged. */
export interface RevealedCredential extends CredentialSecrets, CallbackSecrets {
  readonly credential: Credential;
}

/**
 * New callback secrets in plain text, and the time until which callbacks are signed with the previous ones too. They
 * must not be logged.
 */
export interface RotatedCallbackSecrets {
  readonly accountId: AccountId;
  readonly formerUntil: Millis;
  /** `null` for an admin who rotates those of another account; its owner gets them by revealing a credential. */
  readonly secrets: CallbackSecrets | null;
}

export interface ManageCredentialsDeps extends AuditDeps, ListDeps {
  readonly storage: Pick<Storage, 'accounts' | 'manage' | 'transaction'>;
  readonly vault: Vault;
  readonly random: Random;
}

/** Management of API keys and signing tokens of the payment API. */
export class ManageCredentials {
  readonly #deps: ManageCredentialsDeps;

  constructor(deps: ManageCredentialsDeps) {
    this.#deps = deps;
  }

  /**
   * Masked credentials, newest first.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range or a cursor of another list; `NOT_FOUND` for
   *   another account
   */
  async list(actor: Actor, { accountId, ...page }: AccountListInput): Promise<CursorPage<MaskedCredential>> {
    const scope = listScope(actor, accountId);
    const list = ['credentials', actor.accountId, scope];
    const read = (query: NewestQuery<CredentialId>) => this.#deps.storage.manage.credentials(scope, query);
    const found = await newestPage(list, page, this.#deps, read, ({ id }) => id);
    return { ...found, items: found.items.map((credential) => this.#masked(credential)) };
  }

  /** The owner of a credential. @throws TillgateError `NOT_FOUND`, also for one of another account */
  async ownerOf(actor: Actor, id: CredentialId): Promise<AccountId> {
    return (await this.#deps.storage.transaction((tx) => this.#lock(tx, actor, id))).accountId;
  }

  /**
   * Creates a credential; its secrets are returned only to an actor who may see them. @throws TillgateError
   * `NOT_FOUND`, `STATE_CONFLICT` for an account that is not active, `INVALID_FIELDS`
   */
  async create(
    actor: Actor,
    input: CredentialRequest & { readonly accountId?: AccountId },
  ): Promise<RevealedCredential | MaskedCredential> {
    const accountId = targetAccount(actor, input.accountId);
    const terms = credentialTerms(input, this.#deps.clock.now());
    const { random, vault, ids, clock, storage } = this.#deps;
    const secrets = newCredentialSecrets(random);
    const credential = credentialRecord(
      { id: ids.next() as CredentialId, accountId, ...terms },
      secrets,
      vault,
      clock.now(),
    );
    await storage.transaction(async (tx) => {
      const account = await tx.accounts.lock(accountId);
      if (account === null) throw accountNotFound();
      if (account.status === 'archived')
        throw new TillgateError('STATE_CONFLICT', 'The account is archived: no credentials can be created for it.');
      await this.#ensureCallbackCredential(tx, accountId);
      await tx.manage.createCredential(credential);
      addAuditRow(this.#deps, tx, actor, {
        action: 'credential.create',
        accountId,
        subjectId: credential.id,
        changes: createdWith(auditedTerms(terms)),
      });
    });
    return seesSecrets(actor, accountId) ? this.#revealed(credential) : this.#masked(credential);
  }

  /**
   * Reveals a credential and records that in the audit log. @throws TillgateError `NOT_FOUND`, `FORBIDDEN` for one of
   * another account, `STATE_CONFLICT` for a revoked one
   */
  async reveal(actor: Actor, id: CredentialId): Promise<RevealedCredential> {
    const credential = await this.#deps.storage.transaction(async (tx) => {
      const found = await this.#lock(tx, actor, id);
      requireOwnSecret(actor, found.accountId);
      if (found.status === 'revoked') throw new TillgateError('STATE_CONFLICT', 'The credential is revoked.');
      await this.#ensureCallbackCredential(tx, found.accountId);
      addAuditRow(this.#deps, tx, actor, {
        action: 'credential.reveal',
        accountId: found.accountId,
        subjectId: id,
      });
      return found;
    });
    return this.#revealed(credential);
  }

  /** Revokes a credential at once and permanently; idempotent. @throws TillgateError `NOT_FOUND` */
  async revoke(actor: Actor, id: CredentialId): Promise<MaskedCredential> {
    const { storage, clock } = this.#deps;
    const credential = await storage.transaction(async (tx): Promise<Credential> => {
      const found = await this.#lock(tx, actor, id);
      const revokedAt = clock.now();
      if (!(await tx.manage.revokeCredential(id, revokedAt))) return found;
      const changes = { status: { from: found.status, to: 'revoked' } };
      addAuditRow(this.#deps, tx, actor, {
        action: 'credential.revoke',
        accountId: found.accountId,
        subjectId: id,
        changes,
      });
      return { ...found, status: 'revoked', revokedAt };
    });
    return this.#masked(credential);
  }

  /**
   * Rotates the callback secrets of an account. For 24 hours, callbacks are signed with the previous ones too.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT` for an archived account
   */
  async rotateCallbackSecrets(actor: Actor, wanted: AccountId | undefined): Promise<RotatedCallbackSecrets> {
    const accountId = targetAccount(actor, wanted);
    const { random, vault, clock, storage } = this.#deps;
    const secrets = newCallbackSecrets(random);
    const createdAt = clock.now();
    const formerUntil = createdAt + CALLBACK_OVERLAP_MS;
    await storage.transaction(async (tx) => {
      const account = await tx.accounts.lock(accountId);
      if (account === null) throw accountNotFound();
      if (account.status === 'archived')
        throw new TillgateError('STATE_CONFLICT', 'The account is archived: no credentials can be created for it.');
      await this.#ensureCallbackCredential(tx, accountId);
      await tx.manage.rotateCallbackCredential({
        accountId,
        sealed: sealCallbackSecrets(accountId, secrets, vault),
        previousUntil: formerUntil,
        createdAt,
      });
      addAuditRow(this.#deps, tx, actor, { action: 'callback_secrets.rotate', accountId, subjectId: accountId });
    });
    return { accountId, formerUntil, secrets: seesSecrets(actor, accountId) ? secrets : null };
  }

  async #lock(tx: Transaction, actor: Actor, id: CredentialId): Promise<Credential> {
    const found = await tx.manage.lockCredential(id);
    if (found === null) throw recordNotFound();
    requireAccess(actor, found.accountId);
    return found;
  }

  async #ensureCallbackCredential(tx: Transaction, accountId: AccountId): Promise<void> {
    const sealed = sealCallbackSecrets(accountId, newCallbackSecrets(this.#deps.random), this.#deps.vault);
    const createdAt = this.#deps.clock.now();
    await tx.manage.createCallbackCredential({
      accountId,
      sealed,
      previousSealed: null,
      previousUntil: null,
      createdAt,
    });
  }

  async #revealed(credential: Credential): Promise<RevealedCredential> {
    const { storage, vault } = this.#deps;
    const { accountId } = credential;
    const callback = present(await storage.accounts.findCallbackCredential(accountId), 'the callback credential');
    const callbackSecrets = JSON.parse(vault.open(callback.sealed, callbackContext(accountId))) as CallbackSecrets;
    return { credential, ...this.#open(credential), ...callbackSecrets };
  }

  #masked(credential: Credential): MaskedCredential {
    const { apiKey, apiToken } = this.#open(credential);
    return { credential, apiKey: masked(apiKey), apiToken: masked(apiToken) };
  }

  #open({ id, sealed }: Credential): CredentialSecrets {
    return JSON.parse(this.#deps.vault.open(sealed, credentialContext(id))) as CredentialSecrets;
  }
}

/** The full scopes and no expiry are the defaults; only other terms are written to the audit log. */
function auditedTerms({ name, scopes, permissions, expiresAt }: CredentialTerms): Readonly<Record<string, unknown>> {
  return {
    name,
    ...(scopes.length === SCOPES.length ? {} : { scopes }),
    ...(permissions === null ? {} : { permissions }),
    ...(expiresAt === null ? {} : { expiresAt: formatInstant(expiresAt) }),
  };
}
