import type { Passkey, PasskeyChallenge } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Column } from './columns.ts';
import { integer, integerOrNull, json, text, textOrNull } from './values.ts';

export const PASSKEY_COLUMNS: readonly Column<Passkey>[] = [
  { name: 'id', kind: 'text', of: (p) => p.id },
  { name: 'account_id', kind: 'text', of: (p) => p.accountId },
  { name: 'credential_id', kind: 'text', of: (p) => p.credentialId },
  { name: 'public_key', kind: 'text', of: (p) => p.publicKey },
  { name: 'sign_count', kind: 'bigint', of: (p) => p.signCount },
  { name: 'transports', kind: 'text', of: (p) => JSON.stringify(p.transports) },
  { name: 'name', kind: 'text', of: (p) => p.name },
  { name: 'created_at', kind: 'bigint', of: (p) => p.createdAt },
  { name: 'last_used_at', kind: 'bigint', of: (p) => p.lastUsedAt },
];

/** The passkey in a row of `passkeys`. */
export function passkeyOf(row: Row): Passkey {
  return {
    id: text(row, 'id') as Passkey['id'],
    accountId: text(row, 'account_id') as Passkey['accountId'],
    credentialId: text(row, 'credential_id'),
    publicKey: text(row, 'public_key'),
    signCount: integer(row, 'sign_count'),
    transports: json<Passkey['transports']>(row, 'transports'),
    name: text(row, 'name'),
    createdAt: integer(row, 'created_at'),
    lastUsedAt: integerOrNull(row, 'last_used_at'),
  };
}

export const CHALLENGE_COLUMNS: readonly Column<PasskeyChallenge>[] = [
  { name: 'hash', kind: 'text', of: (c) => c.hash },
  { name: 'account_id', kind: 'text', of: (c) => c.accountId },
  { name: 'purpose', kind: 'text', of: (c) => c.purpose },
  { name: 'session_hash', kind: 'text', of: (c) => c.sessionHash },
  { name: 'expires_at', kind: 'bigint', of: (c) => c.expiresAt },
];

/** The challenge in a row of `passkey_challenges`. */
export function challengeOf(row: Row): PasskeyChallenge {
  return {
    hash: text(row, 'hash'),
    accountId: text(row, 'account_id') as PasskeyChallenge['accountId'],
    purpose: text(row, 'purpose') as PasskeyChallenge['purpose'],
    sessionHash: textOrNull(row, 'session_hash'),
    expiresAt: integer(row, 'expires_at'),
  };
}
