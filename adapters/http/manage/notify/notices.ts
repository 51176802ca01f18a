import { formatInstant, NOTICE_STATUSES, NOTICE_TYPES } from '../../../../core/index.ts';
import type { Notice, NoticePreferences } from '../../../../core/index.ts';
import { z } from 'zod';
import { accountExample } from '../access/accounts.ts';
import { accountQuery, cursorFields, inputOf, word, yesNo } from '../fields.ts';
import { manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { cursorPage, id, instant, pageRecord, time, whole } from '../reply-fields.ts';

const SECURITY = 'Security changes of the account; always sent';
const PAYOUTS = 'Payouts that are held';
const SUMMARY = 'Daily summary (UTC), on days with activity';

export const preferencesSchema = z
  .object({
    account: id('ID of the account'),
    security: z.literal(true).meta({ description: SECURITY }),
    payouts: z.boolean().meta({ description: PAYOUTS }),
    summary: z.boolean().meta({ description: SUMMARY }),
  })
  .meta({ id: 'Notifications' });

const preferencesRecord = ({
  accountId,
  withdrawals,
  summary,
}: NoticePreferences): z.input<typeof preferencesSchema> => ({
  account: accountId,
  security: true,
  payouts: withdrawals,
  summary,
});

const noticeSchema = z
  .object({
    id: id('ID of the notice; the Message-ID of an email starts with it'),
    notifier: z.string().meta({ description: 'Plugin that sends it: smtp or chat' }),
    account: id('ID of the account that receives it').nullable().meta({ description: 'null for the operators' }),
    type: z.enum(NOTICE_TYPES),
    subject: z.string(),
    status: z
      .enum(NOTICE_STATUSES)
      .meta({ description: 'HELD_BACK: not sent, because there were too many in an hour' }),
    attempts: whole('Number of attempts'),
    created_at: instant('Time of creation'),
    next_attempt_at: instant('Time of the next attempt; null if there is none').nullable(),
    sent_at: instant('Time at which it was sent').nullable(),
    error: z.string().nullable().meta({ description: 'Error of the last attempt' }),
  })
  .meta({ id: 'Notice' });

function noticeRecord(notice: Notice): z.input<typeof noticeSchema> {
  const { accountId, status, createdAt, nextAt, sentAt, lastError } = notice;
  const { id: noticeId, notifier, type, subject, attempts } = notice;
  return {
    id: noticeId,
    notifier,
    account: accountId,
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

const example = { account: accountExample.id, security: true, payouts: true, summary: false } as const;

/** The operations of notices: who receives which, and what was sent. */
export const noticeOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'getNotifications',
    method: 'GET',
    path: '/notifications',
    summary: 'Retrieve notification preferences',
    description:
      'Returns which notices the account receives by email, if the till has a plugin that sends email. Defaults to your own account; admins can name another.',
    errors: ['NOT_FOUND'],
    query: accountQuery,
    data: preferencesSchema,
    examples: { data: example },
    handler: async ({ actor, query }, { manage }) =>
      preferencesRecord(await manage.notices.preferences(actor, query.account)),
  }),
  manageOperation({
    id: 'updateNotifications',
    method: 'PATCH',
    path: '/notifications',
    summary: 'Update notification preferences',
    description:
      'Omitted fields stay unchanged. Switching off notices of held payouts requires a step-up, and the account is notified of it. Security notices cannot be switched off.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    query: accountQuery,
    body: z.object({
      security: z
        .literal(true, { error: 'must be true: security notices cannot be switched off' })
        .optional()
        .meta({ description: SECURITY }),
      payouts: yesNo(PAYOUTS).optional(),
      summary: yesNo(SUMMARY).optional(),
    }),
    data: preferencesSchema,
    examples: { body: { summary: true }, data: { ...example, summary: true } },
    handler: async ({ actor, query, body: { payouts, summary } }, { manage }) =>
      preferencesRecord(await manage.notices.choose(actor, query.account, inputOf({ payouts, summary }))),
  }),
  manageOperation({
    id: 'listNotices',
    method: 'GET',
    path: '/notices',
    summary: 'List notices',
    description:
      'Returns the notices of the last 30 days, newest first. To read the next page, send `next_cursor`. Admins only.',
    query: z.object({ status: word(NOTICE_STATUSES, 'Only records with this status').optional(), ...cursorFields }),
    data: cursorPage('NoticeList', noticeSchema),
    handler: async ({ actor, query }, { manage }) => pageRecord(await manage.notices.list(actor, query), noticeRecord),
  }),
];
