import type { Scope } from './scopes.ts';
import type { AccountId, CredentialId, Millis } from '../kernel/index.ts';
import { DAY_MS } from '../kernel/index.ts';

export type AccountRole = 'admin' | 'user';
export type AccountStatus = 'active' | 'disabled' | 'archived';

/** The legal transitions of an account, by event. An archived one can be restored within {@link RESTORE_MS}. */
export const ACCOUNT_TRANSITIONS = {
  disable: { from: ['active'], to: 'disabled' },
  enable: { from: ['disabled'], to: 'active' },
  archive: { from: ['active', 'disabled'], to: 'archived' },
  restore: { from: ['archived'], to: 'active' },
} as const satisfies Record<string, { from: readonly AccountStatus[]; to: AccountStatus }>;

/** How long an archived account can be restored. */
export const RESTORE_MS: Millis = 30 * DAY_MS;

/** The API key sent with a callback: that of the order's credential, or one that authenticates nothing. */
export type CallbackApiKey = 'order' | 'callback';

/** An account. */
export interface Account {
  readonly id: AccountId;
  readonly email: string;
  readonly name: string | null;
  readonly role: AccountRole;
  readonly status: AccountStatus;
  /**
   * The start of its present term as admin; `null` for a user. A new term starts when another person makes it an admin,
   * enables it, or sets its password or its second factor.
   */
  readonly adminSince: Millis | null;
  readonly passwordHash: string;
  /** When a temporary password, set by another person, expires; `null` for the account's own password. */
  readonly passwordExpiresAt: Millis | null;
  /** Incremented by each password change, disable and archive; access tokens with an older value are refused. */
  readonly authVersion: number;
  /** True when every request must be signed (Data Security). */
  readonly dataSecurity: boolean;
  /** When Data Security ends, after it was switched off; `null` for no end. */
  readonly dataSecurityOffAt: Millis | null;
  readonly callbackApiKey: CallbackApiKey;
  /** Currencies that business verification covers; `*` for all. */
  readonly verifiedCurrencies: readonly string[];
  readonly createdAt: Millis;
  readonly modifiedAt: Millis;
}

/**
 * A payment API credential: an API key and a signing pair. Only keyed hashes of its public parts and an encrypted
 * record of the whole are stored.
 */
export interface Credential {
  readonly id: CredentialId;
  readonly accountId: AccountId;
  readonly name: string;
  readonly apiKeyHash: string;
  readonly apiTokenHash: string;
  /** The encrypted {@link CredentialSecrets} as JSON, in the context `credential:<id>`. */
  readonly sealed: string;
  readonly status: 'active' | 'revoked';
  /** In the order of `SCOPES`; at least one, unless it has permissions. */
  readonly scopes: readonly Scope[];
  /**
   * What its owner granted, by the names of a shop system's API, whose calls need them besides the scopes; `null` for a
   * credential that has scopes alone.
   */
  readonly permissions: readonly string[] | null;
  readonly expiresAt: Millis | null;
  readonly createdAt: Millis;
  readonly revokedAt: Millis | null;
}

/** The decrypted secrets of a credential. */
export interface CredentialSecrets {
  readonly apiKey: string;
  readonly apiToken: string;
  readonly signingSecret: string;
}

/** The callback credential. During the overlap of a rotation, callbacks are signed with the previous secrets too. */
export interface CallbackCredential {
  readonly accountId: AccountId;
  /** The encrypted {@link CallbackSecrets} as JSON, in the context `callback-credential:<accountId>`. */
  readonly sealed: string;
  readonly previousSealed: string | null;
  readonly previousUntil: Millis | null;
  readonly createdAt: Millis;
}

/** The decrypted secrets of a callback credential. `callbackSecret` is `whsec_` and base64 of 32 bytes. */
export interface CallbackSecrets {
  readonly callbackKey: string;
  readonly callbackToken: string;
  readonly callbackSecret: string;
}
