import type { Account, AccountChanges, CallbackCredential, Credential, Scope } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Change, Column } from './columns.ts';
import { flag, integer, integerOrNull, json, jsonOrNull, text, textOrNull } from './values.ts';

/** The form of an email by which it is compared. */
export const emailKey = (email: string): string => email.toLowerCase();

export const ACCOUNT_COLUMNS: readonly Column<Account>[] = [
  { name: 'id', kind: 'text', of: (a) => a.id },
  { name: 'email', kind: 'text', of: (a) => a.email },
  { name: 'email_key', kind: 'text', of: (a) => emailKey(a.email) },
  { name: 'name', kind: 'text', of: (a) => a.name },
  { name: 'role', kind: 'text', of: (a) => a.role },
  { name: 'status', kind: 'text', of: (a) => a.status },
  { name: 'admin_since', kind: 'bigint', of: (a) => a.adminSince },
  { name: 'password_hash', kind: 'text', of: (a) => a.passwordHash },
  { name: 'password_expires_at', kind: 'bigint', of: (a) => a.passwordExpiresAt },
  { name: 'auth_version', kind: 'bigint', of: (a) => a.authVersion },
  { name: 'data_security', kind: 'boolean', of: (a) => a.dataSecurity },
  { name: 'data_security_off_at', kind: 'bigint', of: (a) => a.dataSecurityOffAt },
  { name: 'callback_api_key', kind: 'text', of: (a) => a.callbackApiKey },
  { name: 'verified_currencies', kind: 'text', of: (a) => JSON.stringify(a.verifiedCurrencies) },
  { name: 'created_at', kind: 'bigint', of: (a) => a.createdAt },
  { name: 'modified_at', kind: 'bigint', of: (a) => a.modifiedAt },
];

/** The account in a row whose columns have this prefix. */
export function accountOf(row: Row, prefix = ''): Account {
  return {
    id: text(row, `${prefix}id`) as Account['id'],
    email: text(row, `${prefix}email`),
    name: textOrNull(row, `${prefix}name`),
    role: text(row, `${prefix}role`) as Account['role'],
    status: text(row, `${prefix}status`) as Account['status'],
    adminSince: integerOrNull(row, `${prefix}admin_since`),
    passwordHash: text(row, `${prefix}password_hash`),
    passwordExpiresAt: integerOrNull(row, `${prefix}password_expires_at`),
    authVersion: integer(row, `${prefix}auth_version`),
    dataSecurity: flag(row, `${prefix}data_security`),
    dataSecurityOffAt: integerOrNull(row, `${prefix}data_security_off_at`),
    callbackApiKey: text(row, `${prefix}callback_api_key`) as Account['callbackApiKey'],
    verifiedCurrencies: json<readonly string[]>(row, `${prefix}verified_currencies`),
    createdAt: integer(row, `${prefix}created_at`),
    modifiedAt: integer(row, `${prefix}modified_at`),
  };
}

/** The columns that changes of an account fill. */
export function accountChange(changes: AccountChanges): Change {
  const {
    name,
    role,
    status,
    adminSince,
    passwordHash,
    passwordExpiresAt,
    authVersion,
    dataSecurity,
    dataSecurityOffAt,
    callbackApiKey,
    verifiedCurrencies,
    modifiedAt,
  } = changes;
  const change: (readonly [string, string | number | boolean | null])[] = [['modified_at', modifiedAt]];
  if (name !== undefined) change.push(['name', name]);
  if (role !== undefined) change.push(['role', role]);
  if (status !== undefined) change.push(['status', status]);
  if (adminSince !== undefined) change.push(['admin_since', adminSince]);
  if (passwordHash !== undefined) change.push(['password_hash', passwordHash]);
  if (passwordExpiresAt !== undefined) change.push(['password_expires_at', passwordExpiresAt]);
  if (authVersion !== undefined) change.push(['auth_version', authVersion]);
  if (dataSecurity !== undefined) change.push(['data_security', dataSecurity]);
  if (dataSecurityOffAt !== undefined) change.push(['data_security_off_at', dataSecurityOffAt]);
  if (callbackApiKey !== undefined) change.push(['callback_api_key', callbackApiKey]);
  if (verifiedCurrencies !== undefined) change.push(['verified_currencies', JSON.stringify(verifiedCurrencies)]);
  return change;
}

export const CREDENTIAL_COLUMNS: readonly Column<Credential>[] = [
  { name: 'id', kind: 'text', of: (c) => c.id },
  { name: 'account_id', kind: 'text', of: (c) => c.accountId },
  { name: 'name', kind: 'text', of: (c) => c.name },
  { name: 'api_key_hash', kind: 'text', of: (c) => c.apiKeyHash },
  { name: 'api_token_hash', kind: 'text', of: (c) => c.apiTokenHash },
  { name: 'sealed', kind: 'text', of: (c) => c.sealed },
  { name: 'status', kind: 'text', of: (c) => c.status },
  { name: 'scopes', kind: 'text', of: (c) => c.scopes.join(' ') },
  {
    name: 'permissions',
    kind: 'text',
    of: (c) => (c.permissions === null ? null : JSON.stringify(c.permissions)),
  },
  { name: 'expires_at', kind: 'bigint', of: (c) => c.expiresAt },
  { name: 'created_at', kind: 'bigint', of: (c) => c.createdAt },
  { name: 'revoked_at', kind: 'bigint', of: (c) => c.revokedAt },
];

/** The credential in a row of `credentials`. */
export function credentialOf(row: Row): Credential {
  return {
    id: text(row, 'id') as Credential['id'],
    accountId: text(row, 'account_id') as Credential['accountId'],
    name: text(row, 'name'),
    apiKeyHash: text(row, 'api_key_hash'),
    apiTokenHash: text(row, 'api_token_hash'),
    sealed: text(row, 'sealed'),
    status: text(row, 'status') as Credential['status'],
    scopes: text(row, 'scopes')
      .split(' ')
      .filter((scope) => scope !== '') as Scope[],
    permissions: jsonOrNull<readonly string[]>(row, 'permissions'),
    expiresAt: integerOrNull(row, 'expires_at'),
    createdAt: integer(row, 'created_at'),
    revokedAt: integerOrNull(row, 'revoked_at'),
  };
}

export const CALLBACK_CREDENTIAL_COLUMNS: readonly Column<CallbackCredential>[] = [
  { name: 'account_id', kind: 'text', of: (c) => c.accountId },
  { name: 'sealed', kind: 'text', of: (c) => c.sealed },
  { name: 'previous_sealed', kind: 'text', of: (c) => c.previousSealed },
  { name: 'previous_until', kind: 'bigint', of: (c) => c.previousUntil },
  { name: 'created_at', kind: 'bigint', of: (c) => c.createdAt },
];

/** The callback credential in a row of `callback_credentials`. */
export function callbackCredentialOf(row: Row): CallbackCredential {
  return {
    accountId: text(row, 'account_id') as CallbackCredential['accountId'],
    sealed: text(row, 'sealed'),
    previousSealed: textOrNull(row, 'previous_sealed'),
    previousUntil: integerOrNull(row, 'previous_until'),
    createdAt: integer(row, 'created_at'),
  };
}
