import type { App, AppChanges, AppKey, KeyChanges } from '../../../../core/index.ts';
import type { Binding } from '../binding.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Change, Column } from './columns.ts';
import { flag, integer, integerOrNull, json, jsonOrNull, text, textOrNull } from './values.ts';

const jsonText = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

export const APP_COLUMNS: readonly Column<App>[] = [
  { name: 'id', kind: 'text', of: (a) => a.id },
  { name: 'account_id', kind: 'text', of: (a) => a.accountId },
  { name: 'name', kind: 'text', of: (a) => a.name },
  { name: 'enabled', kind: 'boolean', of: (a) => a.enabled },
  { name: 'version', kind: 'bigint', of: (a) => a.version },
  { name: 'provider_id', kind: 'text', of: (a) => a.providerId },
  { name: 'chains', kind: 'text', of: (a) => JSON.stringify(a.chains) },
  { name: 'admission_mode', kind: 'text', of: (a) => a.admissionMode },
  { name: 'limits', kind: 'text', of: (a) => jsonText(a.limits) },
  { name: 'quota', kind: 'text', of: (a) => jsonText(a.quota) },
  { name: 'prepaid', kind: 'boolean', of: (a) => a.prepaid },
  { name: 'buyer', kind: 'text', of: (a) => a.buyer },
  { name: 'created_at', kind: 'bigint', of: (a) => a.createdAt },
  { name: 'modified_at', kind: 'bigint', of: (a) => a.modifiedAt },
];

/** The App in a row of `apps`. */
export function appOf(row: Row): App {
  return {
    id: text(row, 'id') as App['id'],
    accountId: text(row, 'account_id') as App['accountId'],
    name: text(row, 'name'),
    enabled: flag(row, 'enabled'),
    version: integer(row, 'version'),
    providerId: textOrNull(row, 'provider_id'),
    chains: json<App['chains']>(row, 'chains'),
    admissionMode: textOrNull(row, 'admission_mode') as App['admissionMode'],
    limits: jsonOrNull<NonNullable<App['limits']>>(row, 'limits'),
    quota: jsonOrNull<NonNullable<App['quota']>>(row, 'quota'),
    prepaid: flag(row, 'prepaid'),
    buyer: textOrNull(row, 'buyer'),
    createdAt: integer(row, 'created_at'),
    modifiedAt: integer(row, 'modified_at'),
  };
}

/** The columns that changes of an App fill. */
export function appChange({ name, enabled, chains, admissionMode, limits, quota, prepaid }: AppChanges): Change {
  const change: (readonly [string, Binding])[] = [];
  if (name !== undefined) change.push(['name', name]);
  if (enabled !== undefined) change.push(['enabled', enabled]);
  if (chains !== undefined) change.push(['chains', JSON.stringify(chains)]);
  if (admissionMode !== undefined) change.push(['admission_mode', admissionMode]);
  if (limits !== undefined) change.push(['limits', jsonText(limits)]);
  if (quota !== undefined) change.push(['quota', jsonText(quota)]);
  if (prepaid !== undefined) change.push(['prepaid', prepaid]);
  return change;
}

export const APP_KEY_COLUMNS: readonly Column<AppKey>[] = [
  { name: 'id', kind: 'text', of: (k) => k.id },
  { name: 'app_id', kind: 'text', of: (k) => k.appId },
  { name: 'lookup_hash', kind: 'text', of: (k) => k.lookupHash },
  { name: 'sealed', kind: 'text', of: (k) => k.sealed },
  { name: 'status', kind: 'text', of: (k) => k.state },
  { name: 'expires_at', kind: 'bigint', of: (k) => k.expiresAt },
  { name: 'restrictions', kind: 'text', of: (k) => jsonText(k.restrictions) },
  { name: 'revoked_at', kind: 'bigint', of: (k) => k.revokedAt },
  { name: 'created_at', kind: 'bigint', of: (k) => k.createdAt },
  { name: 'last_used_at', kind: 'bigint', of: (k) => k.lastUsedAt },
];

/** The key in a row of `app_keys`. */
export function appKeyOf(row: Row): AppKey {
  return {
    id: text(row, 'id') as AppKey['id'],
    appId: text(row, 'app_id') as AppKey['appId'],
    lookupHash: text(row, 'lookup_hash'),
    sealed: text(row, 'sealed'),
    state: text(row, 'status') as AppKey['state'],
    expiresAt: integerOrNull(row, 'expires_at'),
    restrictions: jsonOrNull<NonNullable<AppKey['restrictions']>>(row, 'restrictions'),
    revokedAt: integerOrNull(row, 'revoked_at'),
    createdAt: integer(row, 'created_at'),
    lastUsedAt: integerOrNull(row, 'last_used_at'),
  };
}

/** The columns that a change of a key fills. */
export function appKeyChange({ expiresAt, restrictions }: KeyChanges): Change {
  return [
    ['expires_at', expiresAt],
    ['restrictions', jsonText(restrictions)],
  ];
}
