import { SCOPES } from './scopes.ts';
import type { Scope } from './scopes.ts';
import { invalidField } from '../kernel/index.ts';
import type { AccountId, Clock, CredentialId, Millis, Random, SealContext, Vault } from '../kernel/index.ts';
import type { AccountStore } from './account-store.ts';
import { nameProblem } from './account-fields.ts';
import { newCallbackSecrets } from './key-text.ts';
import type { CallbackCredential, CallbackSecrets, Credential, CredentialSecrets } from './account.ts';

/** Purposes of the keyed look-up hashes. */
export const LOOKUP = { apiKey: 'api-key', apiToken: 'api-token' } as const;

/** The vault context of a credential's secrets. */
export const credentialContext = (id: CredentialId): SealContext => `credential:${id}`;

/** The vault context of an account's callback secrets. */
export const callbackContext = (accountId: AccountId): SealContext => `callback-credential:${accountId}`;

/** The properties of a new credential. */
export interface CredentialRequest {
  readonly name?: string;
  /** All scopes by default. */
  readonly scopes?: readonly Scope[];
  /** `null`, the default, for scopes alone. The caller derives the scopes from the permissions. */
  readonly permissions?: readonly string[] | null;
  /** `null`, the default, for no expiry. */
  readonly expiresAt?: Millis | null;
}

/** The most permissions of a credential, and the most characters of one. */
const PERMISSIONS = { most: 64, length: 200 } as const;

/** What a credential is made with. */
export type CredentialTerms = Pick<Credential, 'name' | 'scopes' | 'permissions' | 'expiresAt'>;

/** Checks the name, scopes, permissions and expiry of a new credential. @throws TillgateError `INVALID_FIELDS` */
export function credentialTerms(
  { name = '', scopes = SCOPES, permissions = null, expiresAt = null }: CredentialRequest,
  now: Millis,
): CredentialTerms {
  const problem = nameProblem(name);
  if (problem !== null) throw invalidField('name', problem);
  if (scopes.length === 0 && permissions === null)
    throw invalidField('scopes', `must have at least one of ${SCOPES.join(', ')}`);
  const { most, length } = PERMISSIONS;
  if (permissions !== null && (permissions.length > most || permissions.some((each) => each.length > length)))
    throw invalidField('permissions', `must be at most ${most} of at most ${length} characters each`);
  if (expiresAt !== null && expiresAt <= now) throw invalidField('expiresAt', 'must be in the future');
  return { name, scopes: SCOPES.filter((scope) => scopes.includes(scope)), permissions, expiresAt };
}

/** The stored record of a credential: keyed hashes for look-ups, and everything else encrypted. */
export function credentialRecord(
  owner: CredentialTerms & Pick<Credential, 'id' | 'accountId'>,
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
    createdAt: now,
    revokedAt: null,
  };
}

export function sealCallbackSecrets(accountId: AccountId, secrets: CallbackSecrets, vault: Vault): string {
  return vault.seal(JSON.stringify(secrets), callbackContext(accountId));
}

export interface CallbackCredentialDeps {
  readonly storage: { readonly accounts: AccountStore };
  readonly vault: Vault;
  readonly random: Random;
  readonly clock: Clock;
}

/** The account's callback credential, created when missing; concurrent callers get the same one. */
export async function ensureCallbackCredential(
  deps: CallbackCredentialDeps,
  accountId: AccountId,
): Promise<CallbackCredential> {
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
