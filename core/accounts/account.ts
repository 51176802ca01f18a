import type { Scope } from '../auth/scopes.ts';
import type { AccountId, CredentialId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

export type AccountRole = 'admin' | 'user';
export type AccountStatus = 'active' | 'disabled' | 'archived';

/** The legal transitions of an account, by event (decisions, section 9); archived is final. */
export const ACCOUNT_TRANSITIONS = {
  disable: { from: ['active'], to: 'disabled' },
  enable: { from: ['disabled'], to: 'active' },
  archive: { from: ['active', 'disabled'], to: 'archived' },
} as const satisfies Record<string, { from: readonly AccountStatus[]; to: AccountStatus }>;

/** The key sent with a callback: that of the credential that created the order, or one that authenticates nothing. */
export type CallbackApiKey = 'order' | 'callback';

/** An account (specification, "Management interface records"). */
export interface Account {
  readonly id: AccountId;
  readonly email: string;
  readonly name: string | null;
  readonly role: AccountRole;
  readonly status: AccountStatus;
  readonly passwordHash: string;
  /** When a password that somebody else set expires; `null` for one of the account's own. */
  readonly passwordExpiresAt: Millis | null;
  /** Incremented by each password change, disable and archive; older access tokens are refused. */
  readonly authVersion: number;
  /** With Data Security every request must be signed. */
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
 * A payment API credential: an API key and a signing pair. Only keyed hashes of its public parts and a sealed record
 * of the whole are stored.
 */
export interface Credential {
  readonly id: CredentialId;
  readonly accountId: AccountId;
  readonly name: string;
  readonly apiKeyHash: string;
  readonly apiTokenHash: string;
  /** Opens to {@link CredentialSecrets} as JSON, in the context `credential:<id>`. */
  readonly sealed: string;
  readonly status: 'active' | 'revoked';
  /** At least one, in the order of `SCOPES`. */
  readonly scopes: readonly Scope[];
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

/** The callback credential of an account; during the overlap of a rotation the former one signs too. */
export interface CallbackCredential {
  readonly accountId: AccountId;
  /** Opens to {@link CallbackSecrets} as JSON, in the context `callback-credential:<accountId>`. */
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
