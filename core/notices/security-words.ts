import { parseInstant } from '../kernel/time.ts';
import type { AuditRow } from '../manage/audit-row.ts';
import type { SecurityNotice } from '../manage/security-notice.ts';
import type { NoticeAccount } from '../ports/notice-store.ts';
import type { NoticeWords } from './notice.ts';
import { noticeWords, readableTime } from './words.ts';
import type { NoticeLine } from './words.ts';

/** What happened, by the action of the row of the audit log. */
const HAPPENED: Readonly<Record<string, string>> = {
  'account.change_password': 'The password was changed',
  'account.reset_password': 'An operator set a new password',
  'account.freeze_withdrawals': 'Withdrawals were frozen',
  'account.unfreeze_withdrawals': 'Withdrawals are possible again',
  'branding.update': 'What payers see of the account was changed',
  'callback_secrets.rotate': 'The secrets of callbacks were replaced',
  'credential.create': 'An API credential was made',
  'credential.reveal': 'The secrets of an API credential were shown',
  'credential.revoke': 'An API credential was revoked',
  'notifications.update': 'Notices of held withdrawals were switched',
  'security.cancel_pending': 'A pending change of security was cancelled',
  'security.passkey_add': 'A passkey was added',
  'security.passkey_remove': 'A passkey was removed',
  'security.totp_confirm': 'A second factor was confirmed',
  'security.totp_enrol': 'A second factor was set up',
  'security.update': 'The security settings were changed',
  'webhook.create': 'A webhook endpoint was added',
  'webhook.remove': 'A webhook endpoint was removed',
  'webhook.rotate': 'The secret of a webhook endpoint was replaced',
  'webhook.update': 'A webhook endpoint was changed',
  'withdrawal_address.set': 'A withdrawal address was set',
};

/** Changed fields that are shown, with their labels. Others may hold what only the account itself should read, such as a URL. */
const SHOWN: Readonly<Record<string, string>> = {
  chain: 'Chain',
  address: 'Address',
  name: 'Name',
  support: 'Support address',
  reason: 'Reason',
  enabled: 'Enabled',
  dataSecurity: 'Every request must be signed',
  totpForWithdrawals: 'Withdrawals need a code',
  withdrawals: 'Notices of held withdrawals',
};

const UNKNOWN = "A change of the account's security";

/** What happened, in words; the same for every action that is not named. */
export const securityEvent = (action: string): string => HAPPENED[action] ?? UNKNOWN;

/** What the owner of an account is told of a change of its security. */
export function securityWords({ row, effectiveAt }: SecurityNotice, { email, name }: NoticeAccount): NoticeWords {
  const event = securityEvent(row.action);
  const waits = effectiveAt === null ? null : parseInstant(effectiveAt);
  const subject = waits === null ? event : `${event} and takes effect later`;
  return noticeWords(subject, [
    `${event}.`,
    '',
    ['Account', name === null ? email : `${name} (${email})`],
    ...changeLines(row),
    ['When', readableTime(row.at)],
    ['By', actorWords(row)],
    ['IP address', row.ip],
    ['Takes effect', waits === null ? null : readableTime(waits)],
    '',
    waits === null
      ? 'If this was not you, change the password, end all other sessions and tell the operators of this service.'
      : 'If this was not you, stop it before it takes effect: log in, cancel what is pending or set the former value again, and change the password. The operators of this service can freeze withdrawals.',
  ]);
}

function changeLines({ changes }: AuditRow): readonly NoticeLine[] {
  return Object.entries(SHOWN).map(([field, label]) => [label, valueWords(changes[field]?.to)] as const);
}

function valueWords(value: unknown): string | null {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : null;
}

function actorWords({ actorId, accountId }: AuditRow): string {
  if (actorId === null) return 'an operator, at the command line';
  return actorId === accountId ? 'somebody who is logged in to this account' : 'another account, which is an admin';
}
