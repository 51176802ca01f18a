import { TillgateError } from '../../../core/index.ts';
import type {
  Account,
  AccountChanges,
  AccountId,
  AccountStore,
  CallbackCredential,
  Credential,
  CredentialId,
  CredentialOwner,
  Millis,
} from '../../../core/index.ts';

/** Accounts in memory, as the port describes them. */
export class MemoryAccounts implements AccountStore {
  readonly accounts = new Map<AccountId, Account>();
  readonly credentials = new Map<CredentialId, Credential>();
  readonly callbackCredentials = new Map<AccountId, CallbackCredential>();
  readonly signatures = new Map<string, Millis>();
  readonly networks = new Map<string, Millis>();
  lookups = 0;

  async create(account: Account): Promise<void> {
    if ((await this.findByEmail(account.email)) !== null)
      throw new TillgateError('STATE_CONFLICT', 'The email is taken.');
    this.accounts.set(account.id, account);
  }

  async networkSeen(id: AccountId, network: string): Promise<Millis | null> {
    return this.networks.get(`${id} ${network}`) ?? null;
  }

  async noteNetwork(id: AccountId, network: string, at: Millis): Promise<void> {
    this.networks.set(`${id} ${network}`, at);
  }

  async find(id: AccountId): Promise<Account | null> {
    return this.accounts.get(id) ?? null;
  }

  async findByEmail(email: string): Promise<Account | null> {
    this.lookups += 1;
    return [...this.accounts.values()].find((account) => account.email === email) ?? null;
  }

  async update(id: AccountId, changes: AccountChanges): Promise<boolean> {
    const account = this.accounts.get(id);
    if (account === undefined) return false;
    this.accounts.set(id, { ...account, ...changes });
    return true;
  }

  async createCredential(credential: Credential): Promise<void> {
    this.credentials.set(credential.id, credential);
  }

  async findByApiKeyHash(hash: string): Promise<CredentialOwner | null> {
    return this.#owner(({ apiKeyHash }) => apiKeyHash === hash);
  }

  async findByApiTokenHash(hash: string): Promise<CredentialOwner | null> {
    return this.#owner(({ apiTokenHash }) => apiTokenHash === hash);
  }

  async findCredential(id: CredentialId): Promise<Credential | null> {
    return this.credentials.get(id) ?? null;
  }

  async revokeCredential(id: CredentialId, now: Millis): Promise<boolean> {
    const credential = this.credentials.get(id);
    if (credential?.status !== 'active') return false;
    this.credentials.set(id, { ...credential, status: 'revoked', revokedAt: now });
    return true;
  }

  async ensureCallbackCredential(credential: CallbackCredential): Promise<CallbackCredential> {
    const found = this.callbackCredentials.get(credential.accountId) ?? credential;
    this.callbackCredentials.set(credential.accountId, found);
    return found;
  }

  async findCallbackCredential(accountId: AccountId): Promise<CallbackCredential | null> {
    return this.callbackCredentials.get(accountId) ?? null;
  }

  async rotateCallbackCredential(formerSealed: string, next: CallbackCredential): Promise<boolean> {
    if (this.callbackCredentials.get(next.accountId)?.sealed !== formerSealed) return false;
    this.callbackCredentials.set(next.accountId, next);
    return true;
  }

  async useSignature(replayKey: string, expiresAt: Millis): Promise<boolean> {
    if (this.signatures.has(replayKey)) return false;
    this.signatures.set(replayKey, expiresAt);
    return true;
  }

  async pruneSignatures(now: Millis, limit: number): Promise<number> {
    const past = [...this.signatures].filter(([, expiresAt]) => expiresAt <= now).slice(0, limit);
    for (const [key] of past) this.signatures.delete(key);
    return past.length;
  }

  #owner(is: (credential: Credential) => boolean): CredentialOwner | null {
    this.lookups += 1;
    const credential = [...this.credentials.values()].find(is);
    const account = credential === undefined ? undefined : this.accounts.get(credential.accountId);
    return credential === undefined || account === undefined ? null : { credential, account };
  }
}
