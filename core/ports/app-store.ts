import type { App } from '../accounts/app.ts';
import type { AccountStatus } from '../accounts/account.ts';
import type { AccountId, AppId, AppKeyId } from '../kernel/ids.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { Millis } from '../kernel/time.ts';
import type { AppKey, StoredKeyState } from '../keys/app-key.ts';

/** What of an App may change. */
export type AppChanges = Partial<Pick<App, 'name' | 'enabled' | 'chains' | 'admissionMode' | 'limits'>>;

/** A change of a stored key: the state it moves to, and the time that belongs to that. */
export type KeyMove = { readonly to: 'grace'; readonly expiresAt: Millis } | { readonly to: 'revoked'; readonly revokedAt: Millis };

/** What the gateway must know of an account. */
export interface DirectoryAccount {
  readonly id: AccountId;
  readonly active: boolean;
}

/** What the gateway must know of an App. */
export type DirectoryApp = Pick<App, 'id' | 'accountId' | 'enabled' | 'chains' | 'admissionMode' | 'limits'>;

/** What the gateway must know of a key. */
export type DirectoryKey = Pick<AppKey, 'id' | 'appId' | 'lookupHash' | 'state' | 'expiresAt'>;

/** Which records are wanted: those that follow an id in the order of ids, of everybody or of one account, or named ones. */
export type Selection<Id extends string> =
  | { readonly after: Id | null; readonly limit: number; readonly accountId?: AccountId }
  | { readonly ids: readonly Id[] };

/** What a gateway's directory is read from. Every read sees every committed write. */
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
  list(accountId: AccountId | null, page: PageRequest): Promise<Page<App>>;
  countOf(accountId: AccountId): Promise<number>;
  /** An App's keys, newest first. */
  keys(appId: AppId): Promise<readonly AppKey[]>;
  /** Notes when keys were last used; an earlier time changes nothing. */
  touchKeys(uses: readonly { readonly id: AppKeyId; readonly at: Millis }[]): Promise<void>;
}

/**
 * Apps and keys, inside a transaction. Each write is published to the change feed by the same transaction. Rows are
 * locked in the order account, App, keys.
 */
export interface AppWrites {
  /** The account's status, which stays as it is until the transaction ends; `null` when there is no such account. */
  accountStatus(id: AccountId): Promise<AccountStatus | null>;
  find(id: AppId): Promise<App | null>;
  /** The App, held until the transaction ends: what is done to one App is done one after another. */
  lock(id: AppId): Promise<App | null>;
  create(app: App): Promise<void>;
  /** Changes it when it has this version; the changed App, or `null`. */
  update(id: AppId, expectedVersion: number, changes: AppChanges, now: Millis): Promise<App | null>;
  key(id: AppKeyId): Promise<AppKey | null>;
  activeKey(appId: AppId): Promise<AppKey | null>;
  /** @throws an error when the App has an active key already: the database knows of one at most */
  createKey(key: AppKey): Promise<void>;
  /** Moves a key on when it is in one of these states (compare-and-set). */
  moveKey(id: AppKeyId, from: readonly StoredKeyState[], move: KeyMove): Promise<boolean>;
  /** Turns an account's Apps off and revokes their keys. */
  archiveAll(accountId: AccountId, now: Millis): Promise<void>;
}
