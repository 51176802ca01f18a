import { formatInstant, NOTICE_STATUSES, NOTICE_TYPES } from '../../../core/index.ts';
import type { Notice, NoticePreferences } from '../../../core/index.ts';
import { z } from 'zod';
import { accountExample } from './accounts.ts';
import { accountQuery, cursorFields, inputOf, word, yesNo } from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { cursorPage, id, instant, time, whole } from './reply-fields.ts';

const SECURITY = 'Changes of what protects the account: always';
const WITHDRAWALS = 'Withdrawals and refunds that are held';
const SUMMARY = 'A summary of each day (UTC) on which something happened';

export const preferencesSchema = z
  .object({
    account_id: id('The account'),
    security: z.literal(true).meta({ description: SECURITY }),
    withdrawals: z.boolean().meta({ description: WITHDRAWALS }),
    summary: z.boolean().meta({ description: SUMMARY }),
  })
  .meta({ id: 'Notifications' });

const preferencesRecord = ({
  accountId,
  withdrawals,
  summary,
}: NoticePreferences): z.input<typeof preferencesSchema> => ({
  account_id: accountId,
  security: true,
  withdrawals,
  summary,
});

const noticeSchema = z
  .object({
    id: id('The notice; the Message-ID of a mail begins with it'),
    notifier: z.string().meta({ description: 'The plugin that sends it: smtp, chat' }),
    account_id: id('Who is told').nullable().meta({ description: 'null for the operators' }),
    type: z.enum(NOTICE_TYPES),
    subject: z.string(),
    status: z.enum(NOTICE_STATUSES).meta({ description: 'HELD_BACK: one of too many in an hour, and not sent' }),
    attempts: whole('How often it was tried'),
    created_at: instant('When it was written'),
    next_attempt_at: instant('When it is tried next; null where it is not').nullable(),
    sent_at: instant('When it was sent').nullable(),
    error: z.string().nullable().meta({ description: 'Why the last attempt failed' }),
  })
  .meta({ id: 'Notice' });

function noticeRecord(notice: Notice): z.input<typeof noticeSchema> {
  const { accountId, status, createdAt, nextAt, sentAt, lastError } = notice;
  const { id: noticeId, notifier, type, subject, attempts } = notice;
  return {
    id: noticeId,
    notifier,
    account_id: accountId,
    type,
    subject,
    status,
    attempts,
    created_at: formatInstant(createdAt),
    next_attempt_at: status === 'PENDING' ? formatInstant(nextAt) : null,
    sent_at: time(sentAt),
    error: lastError,
  };
}

const example = { account_id: accountExample.id, security: true, withdrawals: true, summary: false } as const;

/** What persons are told of, and what was sent (decisions, section 14). */
export const noticeOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'getNotifications',
    method: 'GET',
    path: '/notifications',
    summary: 'What an account is told of',
    description: 'By mail, where the till has a plugin that sends it. Your own account; an admin may name another.',
    errors: ['NOT_FOUND'],
    query: accountQuery,
    data: preferencesSchema,
    examples: { data: example },
    handler: async ({ actor, query }, { manage }) =>
      preferencesRecord(await manage.notices.preferences(actor, query.account_id)),
  }),
  manageOperation({
    id: 'updateNotifications',
    method: 'PATCH',
    path: '/notifications',
    summary: 'Choose what an account is told of',
    description:
      'What is left out stays as it is. Notices of held withdrawals are switched off in a raised session, and that is told; notices of security cannot be switched off.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    query: accountQuery,
    body: z.object({
      security: z
        .literal(true, { error: 'cannot be switched off: changes of security are always told' })
        .optional()
        .meta({ description: SECURITY }),
      withdrawals: yesNo(WITHDRAWALS).optional(),
      summary: yesNo(SUMMARY).optional(),
    }),
    data: preferencesSchema,
    examples: { body: { summary: true }, data: { ...example, summary: true } },
    handler: async ({ actor, query, body: { withdrawals, summary } }, { manage }) =>
      preferencesRecord(await manage.notices.choose(actor, query.account_id, inputOf({ withdrawals, summary }))),
  }),
  manageOperation({
    id: 'listNotices',
    method: 'GET',
    path: '/notices',
    summary: 'What was sent to persons',
    description:
      'Newest first, of the last 30 days; `next_cursor` asks for the next page of the same list. Admins only.',
    query: z.object({ status: word(NOTICE_STATUSES, 'Only these').optional(), ...cursorFields }),
    data: cursorPage('NoticeList', noticeSchema),
    handler: async ({ actor, query }, { manage }) => {
      const { items, nextCursor } = await manage.notices.list(actor, query);
      return { items: items.map(noticeRecord), next_cursor: nextCursor };
    },
  }),
];
