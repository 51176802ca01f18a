import type { App } from './app.ts';
import type { AccountStatus } from '../access/index.ts';
import type { AccountId, AppId, AppKeyId, Millis, NewestQuery } from '../kernel/index.ts';
import type { AppKey, StoredKeyState } from './app-key.ts';

/** The fields of an App that may change. */
export type AppChanges = Partial<
  Pick<App, 'name' | 'enabled' | 'chains' | 'admissionMode' | 'limits' | 'quota' | 'prepaid'>
>;

/** A change of a stored key: its new state, and the time of that state. */
export type KeyMove =
  { readonly to: 'grace'; readonly expiresAt: Millis } | { readonly to: 'revoked'; readonly revokedAt: Millis };

/** The fields of a key that may change while it can be used. */
export type KeyChanges = Pick<AppKey, 'expiresAt' | 'restrictions'>;

/** The fields of an account that the gateway needs. */
export interface DirectoryAccount {
  readonly id: AccountId;
  readonly active: boolean;
}

/** The fields of an App that the gateway needs. */
export type DirectoryApp = Pick<
  App,
  'id' | 'accountId' | 'enabled' | 'chains' | 'admissionMode' | 'limits' | 'quota' | 'prepaid' | 'buyer'
>;

/** The fields of a key that the gateway needs. */
export type DirectoryKey = Pick<AppKey, 'id' | 'appId' | 'lookupHash' | 'state' | 'expiresAt' | 'restrictions'>;

/** Records to read: the next ones after an id (of one account or of all), or the ones with these ids. */
export type Selection<Id extends string> =
  | { readonly after: Id | null; readonly limit: number; readonly accountId?: AccountId }
  | { readonly ids: readonly Id[] };

/** The reads from which a gateway builds its key directory. Every read sees every committed write. */
export interface DirectorySource {
  accounts(selection: Selection<AccountId>): Promise<readonly DirectoryAccount[]>;
  apps(selection: Selection<AppId>): Promise<readonly DirectoryApp[]>;
  keys(selection: Selection<AppKeyId>): Promise<readonly DirectoryKey[]>;
}

/** Apps and their keys. */
export interface AppStore {
  readonly directory: DirectorySource;
  find(id: AppId): Promise<App | null>;
  /** Newest first, of one account or of all. */
  list(accountId: AccountId | null, query: NewestQuery<AppId>): Promise<readonly App[]>;
  countOf(accountId: AccountId): Promise<number>;
  /** An App's keys, newest first. */
  keys(appId: AppId): Promise<readonly AppKey[]>;
  /** Stores when keys were last used. A time earlier than the stored one is ignored. */
  touchKeys(uses: readonly { readonly id: AppKeyId; readonly at: Millis }[]): Promise<void>;
}

/**
 * Apps and keys, inside a transaction. Each write is published to the change feed by the same transaction. Rows are
 * locked in the order account, App, keys.
 */
export interface AppWrites {
  /**
   * The account's status; `null` when there is no such account. Locks the account until the transaction ends, so that
   * its Apps are created one at a time.
   */
  accountStatus(id: AccountId): Promise<AccountStatus | null>;
  /** The number of the account's Apps, including the ones created in this transaction. */
  countOf(id: AccountId): Promise<number>;
  find(id: AppId): Promise<App | null>;
  /** The App, locked until the transaction ends, so that changes of one App happen one at a time. */
  lock(id: AppId): Promise<App | null>;
  create(app: App): Promise<void>;
  /** Updates the App if it has the expected version; returns the updated App, or `null`. */
  update(id: AppId, expectedVersion: number, changes: AppChanges, now: Millis): Promise<App | null>;
  key(id: AppKeyId): Promise<AppKey | null>;
  activeKey(appId: AppId): Promise<AppKey | null>;
  /** @throws Error when the App already has an active key, because the database allows one */
  createKey(key: AppKey): Promise<void>;
  /** Changes a key's state when it is in one of these states (compare-and-set). */
  moveKey(id: AppKeyId, from: readonly StoredKeyState[], move: KeyMove): Promise<boolean>;
  /** Changes a key that is not revoked. */
  changeKey(id: AppKeyId, changes: KeyChanges): Promise<boolean>;
  /** Disables an account's Apps and revokes their keys. */
  archiveAll(accountId: AccountId, now: Millis): Promise<void>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly apps: AppStore;
  }
  interface Transaction {
    readonly apps: AppWrites;
  }
}
