import { newCredentialSecrets } from './key-text.ts';
import { TillgateError } from '../kernel/index.ts';
import type { AccountId, CredentialId, IdGenerator } from '../kernel/index.ts';
import type { CallbackSecrets, CredentialSecrets } from './account.ts';
import type { CallbackCredentialDeps, CredentialRequest } from './credential-record.ts';
import { callbackContext, credentialRecord, credentialTerms, ensureCallbackCredential } from './credential-record.ts';

/** A new credential in plain text, with the account's callback secrets. It must not be logged. */
export interface NewCredential extends CredentialSecrets, CallbackSecrets {
  readonly credentialId: CredentialId;
}

export interface CreateCredentialDeps extends CallbackCredentialDeps {
  readonly ids: IdGenerator;
}

/** Creates a payment API credential: an API key and a signing pair. */
export class CreateCredential {
  readonly #deps: CreateCredentialDeps;

  constructor(deps: CreateCredentialDeps) {
    this.#deps = deps;
  }

  /** @throws TillgateError `NOT_FOUND` for an unknown account, `STATE_CONFLICT` for an archived one, `INVALID_FIELDS`. */
  async run(accountId: AccountId, name = '', more: Omit<CredentialRequest, 'name'> = {}): Promise<NewCredential> {
    const terms = credentialTerms({ ...more, name }, this.#deps.clock.now());
    const { storage, vault, random, ids, clock } = this.#deps;
    const account = await storage.accounts.find(accountId);
    if (account === null) throw new TillgateError('NOT_FOUND', 'There is no such account.');
    if (account.status === 'archived')
      throw new TillgateError('STATE_CONFLICT', 'The account is archived: no credentials can be created for it.');
    const { sealed } = await ensureCallbackCredential(this.#deps, accountId);
    const callbackSecrets = JSON.parse(vault.open(sealed, callbackContext(accountId))) as CallbackSecrets;
    const secrets = newCredentialSecrets(random);
    const credentialId = ids.next() as CredentialId;
    await storage.accounts.createCredential(
      credentialRecord({ id: credentialId, accountId, ...terms }, secrets, vault, clock.now()),
    );
    return { credentialId, ...secrets, ...callbackSecrets };
  }
}
