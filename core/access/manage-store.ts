import type { Account, CallbackCredential, Credential } from './account.ts';
import type { AccountId, CredentialId, Millis, NewestQuery } from '../kernel/index.ts';
import type { AccountEntry, AccountSecurity, Login } from './account-entry.ts';

/** Reads of accounts for the management API. */
export interface ManageStore {
  /**
   * Accounts, newest first: one of them, or all for `null`; with a text, those whose email address or name has it as a
   * part, regardless of case. Reads all accounts at most once: only admins create them.
   */
  accounts(only: AccountId | null, query: NewestQuery<AccountId>, text?: string): Promise<readonly AccountEntry[]>;
  account(id: AccountId): Promise<AccountEntry | null>;
  /** Credentials of one account, or of all for `null`, newest first. */
  credentials(accountId: AccountId | null, query: NewestQuery<CredentialId>): Promise<readonly Credential[]>;
  /** The account's security settings; without a record, nothing is enrolled or required. */
  security(accountId: AccountId): Promise<AccountSecurity>;
}

/** Writes of accounts for the management API, inside a transaction. */
export interface ManageWrites {
  /** The ids of all active admins, locked until the transaction ends: lock them before any other account. */
  lockAdmins(): Promise<readonly AccountId[]>;
  /** @throws TillgateError `STATE_CONFLICT` when the email is taken. */
  createAccount(account: Account): Promise<void>;
  createCallbackCredential(credential: CallbackCredential): Promise<void>;
  /** Replaces the account's callback secrets; the current ones become the previous ones. Lock the account first. */
  rotateCallbackCredential(
    next: Pick<CallbackCredential, 'accountId' | 'sealed' | 'previousUntil' | 'createdAt'>,
  ): Promise<void>;
  createCredential(credential: Credential): Promise<void>;
  /** The credential, locked until the transaction ends. */
  lockCredential(id: CredentialId): Promise<Credential | null>;
  revokeCredential(id: CredentialId, now: Millis): Promise<boolean>;
  avatar(accountId: AccountId): Promise<string | null>;
  setAvatar(accountId: AccountId, url: string | null): Promise<void>;
  noteLogin(accountId: AccountId, login: Login): Promise<void>;
  /** The account's security settings. Lock the account first, so that enrolments do not both read the old record. */
  security(accountId: AccountId): Promise<AccountSecurity>;
  saveSecurity(security: AccountSecurity): Promise<void>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    /** Account data that only the management API uses. */
    readonly manage: ManageStore;
  }
  interface Transaction {
    readonly manage: ManageWrites;
  }
}
