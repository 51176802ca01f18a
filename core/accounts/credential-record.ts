import type { AccountId, CredentialId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { Vault } from '../ports/vault.ts';
import { newCallbackSecrets } from '../auth/key-text.ts';
import type { CallbackCredential, CallbackSecrets, Credential, CredentialSecrets } from './account.ts';

/** The purposes under which secrets are hashed for look-up. */
export const LOOKUP = { apiKey: 'api-key', apiToken: 'api-token' } as const;

/** The context that a credential's secrets are sealed in. */
export const credentialContext = (id: CredentialId): string => `credential:${id}`;

/** The context that an account's callback secrets are sealed in. */
export const callbackContext = (accountId: AccountId): string => `callback-credential:${accountId}`;

/** Puts a credential's record together: keyed hashes of what it is found by, the rest sealed. */
export function credentialRecord(
  owner: Pick<Credential, 'id' | 'accountId' | 'name'>,
  secrets: CredentialSecrets,
  vault: Vault,
  now: Millis,
): Credential {
  return {
    ...owner,
    apiKeyHash: vault.lookupHash(LOOKUP.apiKey, secrets.apiKey),
    apiTokenHash: vault.lookupHash(LOOKUP.apiToken, secrets.apiToken),
    sealed: vault.seal(JSON.stringify(secrets), credentialContext(owner.id)),
    status: 'active',
    expiresAt: null,
    createdAt: now,
    revokedAt: null,
  };
}

/** Seals an account's callback secrets. */
export function sealCallbackSecrets(accountId: AccountId, secrets: CallbackSecrets, vault: Vault): string {
  return vault.seal(JSON.stringify(secrets), callbackContext(accountId));
}

/** What the callback credential of an account is made with. */
export interface CallbackCredentialDeps {
  readonly storage: { readonly accounts: AccountStore };
  readonly vault: Vault;
  readonly random: Random;
  readonly clock: Clock;
}

/** The account's callback credential; a new one when it has none. Two callers at once get the same. */
export async function ensureCallbackCredential(deps: CallbackCredentialDeps, accountId: AccountId): Promise<CallbackCredential> {
  const found = await deps.storage.accounts.findCallbackCredential(accountId);
  if (found !== null) return found;
  return await deps.storage.accounts.ensureCallbackCredential({
    accountId,
    sealed: sealCallbackSecrets(accountId, newCallbackSecrets(deps.random), deps.vault),
    previousSealed: null,
    previousUntil: null,
    createdAt: deps.clock.now(),
  });
}
