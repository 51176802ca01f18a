import type {
  Account,
  AccountRole,
  AccountStatus,
  CallbackApiKey,
  CallbackCredential,
  Credential,
} from '../accounts/account.ts';
import type { AccountId, CredentialId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** A credential and its account, found by one look-up. */
export interface CredentialOwner {
  readonly credential: Credential;
  readonly account: Account;
  /** Whether the account has webhook endpoints that are switched on; a store may leave it out. */
  readonly hasWebhooks?: boolean;
}

/** The fields of an account that may change. */
export interface AccountChanges {
  readonly name?: string | null;
  readonly role?: AccountRole;
  readonly status?: AccountStatus;
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
  /** By email, compared in lower case. */
  findByEmail(email: string): Promise<Account | null>;
  /** A change of status is published to the change feed and in force on every gateway when this returns. */
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
  /** Replaces it; false when `formerSealed` is no longer the current one. */
  rotateCallbackCredential(formerSealed: string, next: CallbackCredential): Promise<boolean>;
  /** When an account last logged in from a network; `null` for never. */
  networkSeen(id: AccountId, network: string): Promise<Millis | null>;
  /** Notes a login from a network; of each account the latest networks are kept. */
  noteNetwork(id: AccountId, network: string, at: Millis): Promise<void>;
  /** Stores a used signature until `expiresAt`; false when it was used before (decisions, section 3, replay). */
  useSignature(replayKey: string, expiresAt: Millis): Promise<boolean>;
  /** Deletes expired signatures; returns how many. */
  pruneSignatures(now: Millis, limit: number): Promise<number>;
}

/** Accounts, inside a transaction. */
export interface AccountWrites {
  /** The account, unchanged until the transaction ends; other transactions may hold it so at the same time. */
  lockShared(id: AccountId): Promise<Account | null>;
  /** The account, locked until the transaction ends. */
  lock(id: AccountId): Promise<Account | null>;
  /** A change of status is published to the change feed; wait for `feed.settled()` after the commit. */
  update(id: AccountId, changes: AccountChanges): Promise<boolean>;
}
