import { DEFAULT_NOTICE_PREFERENCES } from '../../../../core/index.ts';
import type { HeldBack, Notice, NoticeAccount } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Column } from './columns.ts';
import { flag, integer, integerOrNull, text, textOrNull } from './values.ts';

export const NOTICE_COLUMNS: readonly Column<Notice>[] = [
  { name: 'id', kind: 'text', of: (n) => n.id },
  { name: 'notifier', kind: 'text', of: (n) => n.notifier },
  { name: 'account_id', kind: 'text', of: (n) => n.accountId },
  { name: 'type', kind: 'text', of: (n) => n.type },
  { name: 'subject', kind: 'text', of: (n) => n.subject },
  { name: 'body', kind: 'text', of: (n) => n.text },
  { name: 'status', kind: 'text', of: (n) => n.status },
  { name: 'attempts', kind: 'bigint', of: (n) => n.attempts },
  { name: 'next_at', kind: 'bigint', of: (n) => n.nextAt },
  { name: 'created_at', kind: 'bigint', of: (n) => n.createdAt },
  { name: 'sent_at', kind: 'bigint', of: (n) => n.sentAt },
  { name: 'last_error', kind: 'text', of: (n) => n.lastError },
  { name: 'day', kind: 'bigint', of: (n) => n.day },
];

/** The notice in a row of `notices`. */
export function noticeOf(row: Row): Notice {
  return {
    id: text(row, 'id') as Notice['id'],
    notifier: text(row, 'notifier'),
    accountId: textOrNull(row, 'account_id') as Notice['accountId'],
    type: text(row, 'type') as Notice['type'],
    subject: text(row, 'subject'),
    text: text(row, 'body'),
    status: text(row, 'status') as Notice['status'],
    attempts: integer(row, 'attempts'),
    nextAt: integer(row, 'next_at'),
    createdAt: integer(row, 'created_at'),
    sentAt: integerOrNull(row, 'sent_at'),
    lastError: textOrNull(row, 'last_error'),
    day: integerOrNull(row, 'day'),
  };
}

/** An account joined with `notice_preferences`, where it may have no row. */
export function noticeAccountOf(row: Row): NoticeAccount {
  const chosen =
    row['withdrawals'] === null
      ? DEFAULT_NOTICE_PREFERENCES
      : { withdrawals: flag(row, 'withdrawals'), summary: flag(row, 'summary') };
  return {
    accountId: text(row, 'id') as NoticeAccount['accountId'],
    role: text(row, 'role') as NoticeAccount['role'],
    email: text(row, 'email'),
    name: textOrNull(row, 'name'),
    ...chosen,
  };
}

/** `notice_hours.recipient` of the operators is empty: no part of a key may be NULL. */
export const recipientOf = (accountId: Notice['accountId']): string => accountId ?? '';

/** The count in a row of `notice_hours`. */
export function heldBackOf(row: Row): HeldBack {
  const recipient = text(row, 'recipient');
  return {
    notifier: text(row, 'notifier'),
    accountId: recipient === '' ? null : (recipient as Exclude<HeldBack['accountId'], null>),
    type: text(row, 'type') as HeldBack['type'],
    hour: integer(row, 'hour'),
    count: integer(row, 'held_back'),
  };
}
