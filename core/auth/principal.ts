import type { AccountId, CredentialId } from '../kernel/ids.ts';

/** Who makes a request, and how that was proved. */
export interface Principal {
  readonly accountId: AccountId;
  /** The credential that was used; `null` for an access token, which belongs to a login. */
  readonly credentialId: CredentialId | null;
  readonly via: 'api-key' | 'signature' | 'token';
}
