import { parseInstant } from '../kernel/index.ts';
import type { AuditRow, SecurityNotice } from '../access/index.ts';
import type { NoticeAccount, NoticeLine, NoticeWords } from '../notify/index.ts';
import { noticeWords, readableTime } from '../notify/index.ts';

/** The text for each action of the audit log. */
const HAPPENED: Readonly<Record<string, string>> = {
  'account.change_password': 'The password was changed',
  'account.reset_password': 'An operator reset the password',
  'account.freeze_withdrawals': 'Withdrawals were frozen',
  'account.unfreeze_withdrawals': 'Withdrawals were unfrozen',
  'app_key.reveal': 'An App key was revealed',
  'branding.update': 'The branding was changed',
  'callback_secrets.rotate': 'The callback secrets were replaced',
  'credential.create': 'An API credential was created',
  'credential.reveal': 'The secrets of an API credential were revealed',
  'credential.revoke': 'An API credential was revoked',
  'notifications.update': 'The notification settings were changed',
  'payee.create': 'A payee was added',
  'payee.remove': 'A payee was removed',
  'security.cancel_pending': 'A pending security change was cancelled',
  'security.passkey_add': 'A passkey was added',
  'security.passkey_remove': 'A passkey was removed',
  'security.totp_confirm': 'An authenticator app was confirmed',
  'security.totp_enrol': 'An authenticator app was set up',
  'security.update': 'The security settings were changed',
  'webhook.create': 'A webhook endpoint was added',
  'webhook.remove': 'A webhook endpoint was removed',
  'webhook.rotate': 'The secret of a webhook endpoint was rotated',
  'webhook.update': 'A webhook endpoint was changed',
  'withdrawal_address.set': 'A withdrawal address was set',
};

/** The labels of changed fields that are shown. Others may contain data for the account alone, such as a URL. */
const SHOWN: Readonly<Record<string, string>> = {
  chain: 'Chain',
  address: 'Address',
  label: 'Label',
  name: 'Name',
  support: 'Support contact',
  reason: 'Reason',
  enabled: 'Enabled',
  dataSecurity: 'Signed requests required',
  totpForWithdrawals: 'Code required for withdrawals',
  withdrawals: 'Notices about withdrawals on hold',
};

const UNKNOWN = 'The security settings of the account were changed';

/** The text for an action; one general text for every action without its own. */
export const securityEvent = (action: string): string => HAPPENED[action] ?? UNKNOWN;

/** The message to the owner of an account about a change of its security. */
export function securityWords({ row, effectiveAt }: SecurityNotice, { email, name }: NoticeAccount): NoticeWords {
  const event = securityEvent(row.action);
  const waits = effectiveAt === null ? null : parseInstant(effectiveAt);
  const subject = waits === null ? event : `${event}; it takes effect later`;
  return noticeWords(subject, [
    `${event}.`,
    '',
    ['Account', name === null ? email : `${name} (${email})`],
    ...changeLines(row),
    ['Time', readableTime(row.at)],
    ['By', actorWords(row)],
    ['IP address', row.ip],
    ['Takes effect', waits === null ? null : readableTime(waits)],
    '',
    waits === null
      ? 'If this was not you, change your password, end all other sessions and contact the operator of this service.'
      : 'If this was not you, log in before it takes effect, cancel the pending change or restore the previous value, and change your password. The operator of this service can freeze withdrawals.',
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
  if (actorId === null) return 'an operator, on the command line';
  return actorId === accountId ? 'a user of this account' : 'an admin';
}
