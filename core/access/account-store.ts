import type { Account, AccountRole, AccountStatus, CallbackApiKey, CallbackCredential, Credential } from './account.ts';
import type { AccountId, CredentialId, Millis } from '../kernel/index.ts';

/** A credential together with its account, found by one look-up. */
export interface CredentialOwner {
  readonly credential: Credential;
  readonly account: Account;
  /** Whether an enabled webhook endpoint, or the till's own handlers, get the account's events. A store may omit it. */
  readonly hasWebhooks?: boolean;
}

/** The fields of an account that may change. */
export interface AccountChanges {
  readonly name?: string | null;
  readonly role?: AccountRole;
  readonly status?: AccountStatus;
  readonly adminSince?: Millis | null;
  readonly passwordHash?: string;
  readonly passwordExpiresAt?: Millis | null;
  readonly authVersion?: number;
  readonly dataSecurity?: boolean;
  readonly dataSecurityOffAt?: Millis | null;
  readonly callbackApiKey?: CallbackApiKey;
  readonly verifiedCurrencies?: readonly string[];
  readonly modifiedAt: Millis;
}

/** Accounts and payment API credentials. Look-ups must see every committed change, so nothing may be cached. */
export interface AccountStore {
  /** @throws TillgateError `STATE_CONFLICT` when the email is taken. */
  create(account: Account): Promise<void>;
  find(id: AccountId): Promise<Account | null>;
  /** Finds an account by its email address, compared in lower case. */
  findByEmail(email: string): Promise<Account | null>;
  /** Updates an account. When this returns, a change of status is in the change feed and in force on every gateway. */
  update(id: AccountId, changes: AccountChanges): Promise<boolean>;
  createCredential(credential: Credential): Promise<void>;
  /** Concurrent look-ups may be answered by one query. */
  findByApiKeyHash(hash: string): Promise<CredentialOwner | null>;
  findByApiTokenHash(hash: string): Promise<CredentialOwner | null>;
  findCredential(id: CredentialId): Promise<Credential | null>;
  revokeCredential(id: CredentialId, now: Millis): Promise<boolean>;
  /** Creates the account's callback credential unless it exists; returns it. */
  ensureCallbackCredential(credential: CallbackCredential): Promise<CallbackCredential>;
  findCallbackCredential(accountId: AccountId): Promise<CallbackCredential | null>;
  /** Replaces the callback credential; false when `formerSealed` is no longer the stored one. */
  rotateCallbackCredential(formerSealed: string, next: CallbackCredential): Promise<boolean>;
  /** When the account last logged in from this network; `null` for never. */
  networkSeen(id: AccountId, network: string): Promise<Millis | null>;
  /** Records a login from a network. Only the latest networks of each account are kept. */
  noteNetwork(id: AccountId, network: string, at: Millis): Promise<void>;
  /** Stores a used signature until `expiresAt`; false when it was used before. */
  useSignature(replayKey: string, expiresAt: Millis): Promise<boolean>;
  /** Deletes up to `limit` expired signatures and returns how many. */
  pruneSignatures(now: Millis, limit: number): Promise<number>;
}

/** Accounts, inside a transaction. */
export interface AccountWrites {
  /** Returns the account and takes a shared lock on it until the transaction ends. */
  lockShared(id: AccountId): Promise<Account | null>;
  /** The account, locked until the transaction ends. */
  lock(id: AccountId): Promise<Account | null>;
  /** A change of status is published to the change feed; wait for `feed.settled()` after the commit. */
  update(id: AccountId, changes: AccountChanges): Promise<boolean>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly accounts: AccountStore;
  }
  interface Transaction {
    readonly accounts: AccountWrites;
  }
}
