import type { AccountEntry, AccountSecurity, AuditRow, Session, TotpState } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import { accountOf } from './account-row.ts';
import type { Column } from './columns.ts';
import { flag, integer, integerOrNull, json, jsonOrNull, text, textOrNull } from './values.ts';

/** The columns of `account_profiles` beside its key. */
export const PROFILE_COLUMNS = [
  { name: 'avatar_url' },
  { name: 'first_login_at' },
  { name: 'last_login_at' },
  { name: 'last_login_ip' },
  { name: 'last_login_user_agent' },
] as const;

/** The account in a row of `accounts` joined with its profile, if it has one. */
export function accountEntryOf(row: Row): AccountEntry {
  const at = integerOrNull(row, 'last_login_at');
  return {
    account: accountOf(row),
    avatarUrl: textOrNull(row, 'avatar_url'),
    firstLoginAt: integerOrNull(row, 'first_login_at'),
    lastLogin:
      at === null
        ? null
        : { at, ip: textOrNull(row, 'last_login_ip'), userAgent: textOrNull(row, 'last_login_user_agent') },
  };
}

export const SECURITY_COLUMNS: readonly Column<AccountSecurity>[] = [
  { name: 'account_id', kind: 'text', of: (s) => s.accountId },
  { name: 'totp_sealed', kind: 'text', of: (s) => s.totp?.sealed ?? null },
  { name: 'totp_confirmed_at', kind: 'bigint', of: (s) => s.totp?.confirmedAt ?? null },
  { name: 'totp_required', kind: 'boolean', of: (s) => s.totp?.required ?? false },
  { name: 'totp_last_step', kind: 'bigint', of: (s) => s.totp?.lastStep ?? null },
  { name: 'totp_tries', kind: 'bigint', of: (s) => s.totp?.tries ?? null },
  { name: 'totp_paused_until', kind: 'bigint', of: (s) => s.totp?.pausedUntil ?? null },
  { name: 'totp_judged', kind: 'text', of: (s) => (s.totp === null ? null : JSON.stringify(s.totp.judged)) },
  { name: 'totp_for_withdrawals', kind: 'boolean', of: (s) => s.totpForWithdrawals.on },
  { name: 'totp_for_withdrawals_off_at', kind: 'bigint', of: (s) => s.totpForWithdrawals.offAt },
];

/** The second factor in a row of `account_security`; no row means none enrolled and none required. */
export function securityOf(accountId: AccountSecurity['accountId'], row: Row | undefined): AccountSecurity {
  if (row === undefined) return { accountId, totp: null, totpForWithdrawals: { on: false, offAt: null } };
  const sealed = textOrNull(row, 'totp_sealed');
  const totp =
    sealed === null
      ? null
      : {
          sealed,
          confirmedAt: integerOrNull(row, 'totp_confirmed_at'),
          required: flag(row, 'totp_required'),
          lastStep: integer(row, 'totp_last_step'),
          tries: integer(row, 'totp_tries'),
          pausedUntil: integerOrNull(row, 'totp_paused_until'),
          judged: jsonOrNull<TotpState['judged']>(row, 'totp_judged') ?? [],
        };
  const [on, offAt] = [flag(row, 'totp_for_withdrawals'), integerOrNull(row, 'totp_for_withdrawals_off_at')];
  return { accountId, totp, totpForWithdrawals: { on, offAt } };
}

export const SESSION_COLUMNS: readonly Column<Session>[] = [
  { name: 'token_hash', kind: 'text', of: (s) => s.tokenHash },
  { name: 'account_id', kind: 'text', of: (s) => s.accountId },
  { name: 'auth_version', kind: 'bigint', of: (s) => s.authVersion },
  { name: 'cookie', kind: 'boolean', of: (s) => s.cookie },
  { name: 'created_at', kind: 'bigint', of: (s) => s.createdAt },
  { name: 'expires_at', kind: 'bigint', of: (s) => s.expiresAt },
  { name: 'last_used_at', kind: 'bigint', of: (s) => s.lastUsedAt },
  { name: 'raised_until', kind: 'bigint', of: (s) => s.raisedUntil },
  { name: 'wrong_passwords', kind: 'bigint', of: (s) => s.wrongPasswords },
  { name: 'ip', kind: 'text', of: (s) => s.ip },
  { name: 'user_agent', kind: 'text', of: (s) => s.userAgent },
];

/** The session in a row whose columns have this prefix. */
export function sessionOf(row: Row, prefix = ''): Session {
  return {
    tokenHash: text(row, `${prefix}token_hash`),
    accountId: text(row, `${prefix}account_id`) as Session['accountId'],
    authVersion: integer(row, `${prefix}auth_version`),
    cookie: flag(row, `${prefix}cookie`),
    createdAt: integer(row, `${prefix}created_at`),
    expiresAt: integer(row, `${prefix}expires_at`),
    lastUsedAt: integer(row, `${prefix}last_used_at`),
    raisedUntil: integerOrNull(row, `${prefix}raised_until`),
    wrongPasswords: integer(row, `${prefix}wrong_passwords`),
    ip: textOrNull(row, `${prefix}ip`),
    userAgent: textOrNull(row, `${prefix}user_agent`),
  };
}

export const AUDIT_COLUMNS: readonly Column<AuditRow>[] = [
  { name: 'id', kind: 'text', of: (a) => a.id },
  { name: 'happened_at', kind: 'bigint', of: (a) => a.at },
  { name: 'actor_id', kind: 'text', of: (a) => a.actorId },
  { name: 'account_id', kind: 'text', of: (a) => a.accountId },
  { name: 'action', kind: 'text', of: (a) => a.action },
  { name: 'subject_type', kind: 'text', of: (a) => a.subjectType },
  { name: 'subject_id', kind: 'text', of: (a) => a.subjectId },
  { name: 'changes', kind: 'text', of: (a) => JSON.stringify(a.changes) },
  { name: 'ip', kind: 'text', of: (a) => a.ip },
  { name: 'trace_id', kind: 'text', of: (a) => a.traceId },
];

/** The entry in a row of `audit_trail`. */
export function auditRowOf(row: Row): AuditRow {
  return {
    id: text(row, 'id') as AuditRow['id'],
    at: integer(row, 'happened_at'),
    actorId: textOrNull(row, 'actor_id') as AuditRow['actorId'],
    accountId: textOrNull(row, 'account_id') as AuditRow['accountId'],
    action: text(row, 'action'),
    subjectType: text(row, 'subject_type'),
    subjectId: text(row, 'subject_id'),
    changes: json<AuditRow['changes']>(row, 'changes'),
    ip: textOrNull(row, 'ip'),
    traceId: textOrNull(row, 'trace_id'),
  };
}
