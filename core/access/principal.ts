import type { AccountId, CredentialId } from '../kernel/index.ts';
import type { Credential } from './account.ts';

/** The account that makes a request, and how it was authenticated. */
export interface Principal {
  readonly accountId: AccountId;
  /** The credential; `null` for an access token, which comes from a login. */
  readonly credentialId: CredentialId | null;
  readonly via: 'api-key' | 'signature' | 'token';
  /** Whether an enabled webhook endpoint, or the till's own handlers, get the account's events, where that is known. */
  readonly hasWebhooks?: boolean;
  /** What the credential may do; absent for an access token, which may do everything. */
  readonly granted?: Pick<Credential, 'scopes' | 'permissions'>;
}
