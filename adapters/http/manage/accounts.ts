import type { AccountDetail, AccountEntry, AccountId } from '../../../core/index.ts';
import { z } from 'zod';
import { text } from '../fields.ts';
import { idParams, inputOf, password, recordId, texts, word } from './fields.ts';
import { manageList, manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { id, instant, pageRecord, time, whole } from './reply-fields.ts';

const MAX_NAME = 255;
const MAX_URL = 2048;
const MAX_IDS = 100;
const MAX_CURRENCIES = 64;

const accountFields = {
  id: id('The account'),
  email: z.string(),
  role: z.enum(['admin', 'user']).meta({ id: 'AccountRole' }),
  status: z.enum(['active', 'disabled', 'archived']).meta({ id: 'AccountStatus' }),
  activated: z.boolean().meta({ description: 'Accounts need no activation of their own: true from the start' }),
  role_label: z.string(),
  status_label: z.string(),
  name: z.string().nullable(),
  avatar_url: z.string().nullable(),
  created_at: instant('Creation').nullable(),
  modified_at: instant('Last change').nullable(),
};
export const accountSchema = z.object(accountFields).meta({ id: 'AccountBase' });

export const accountDetailSchema = z
  .object({
    ...accountFields,
    app_count: whole('Apps of the account'),
    gateway_count: whole('Enabled gateways that its enabled Apps reach'),
    first_login_at: instant('First login').nullable(),
    last_login_at: instant('Last login').nullable(),
    last_login_ip: z.string().nullable(),
    last_login_user_agent: z.string().nullable(),
    verified_currencies: z
      .array(z.string())
      .readonly()
      .meta({ description: 'Covered by business verification; * for all' }),
  })
  .meta({ id: 'AccountDetail' });

type AccountRecord = z.input<typeof accountSchema>;
type AccountDetailRecord = z.input<typeof accountDetailSchema>;

const ROLE_LABELS = { admin: 'Administrator', user: 'User' } as const;
const STATUS_LABELS = { active: 'Active', disabled: 'Disabled', archived: 'Archived' } as const;

function accountRecord({ account, avatarUrl }: AccountEntry): AccountRecord {
  const { role, status } = account;
  return {
    id: account.id,
    email: account.email,
    role,
    status,
    activated: true,
    role_label: ROLE_LABELS[role],
    status_label: STATUS_LABELS[status],
    name: account.name,
    avatar_url: avatarUrl,
    created_at: time(account.createdAt),
    modified_at: time(account.modifiedAt),
  };
}

export function accountDetailRecord(detail: AccountDetail): AccountDetailRecord {
  const { account, appCount, gatewayCount, firstLoginAt, lastLogin } = detail;
  return {
    ...accountRecord(detail),
    app_count: appCount,
    gateway_count: gatewayCount,
    first_login_at: time(firstLoginAt),
    last_login_at: time(lastLogin?.at ?? null),
    last_login_ip: lastLogin?.ip ?? null,
    last_login_user_agent: lastLogin?.userAgent ?? null,
    verified_currencies: account.verifiedCurrencies,
  };
}

export const accountExample = {
  id: '1530217733410816000',
  email: 'shop@example.com',
  role: 'user',
  status: 'active',
  activated: true,
  role_label: 'User',
  status_label: 'Active',
  name: 'The shop',
  avatar_url: null,
  created_at: '2026-05-04T12:00:00.000Z',
  modified_at: '2026-05-04T12:00:00.000Z',
} as const satisfies AccountRecord;

export const accountDetailExample = {
  ...accountExample,
  app_count: 1,
  gateway_count: 1,
  first_login_at: null,
  last_login_at: null,
  last_login_ip: null,
  last_login_user_agent: null,
  verified_currencies: ['*'],
} as const satisfies AccountDetailRecord;

const name = text(MAX_NAME, 'Shown name').nullable();
const role = word(['admin', 'user'], 'What the account may do');
const currencies = texts(MAX_CURRENCIES, 40, 'Currencies that business verification covers; * for all');

/** Accounts (decisions, section 9). */
export const accountOperations: readonly ManageOperation[] = [
  manageList({
    id: 'listAccounts',
    path: '/accounts',
    summary: 'Accounts',
    description: 'Newest first; a user sees its own.',
    name: 'AccountList',
    item: accountSchema,
    example: accountExample,
    handler: async ({ actor, query }, { manage }) =>
      pageRecord(await manage.accounts.list(actor, query), accountRecord),
  }),
  manageOperation({
    id: 'createAccount',
    method: 'POST',
    path: '/accounts',
    status: 201,
    summary: 'Make an account',
    description:
      'Active from the start. The password is temporary: whoever logs in with it has to change it first, and it expires after a while. Admins only.',
    errors: ['STATE_CONFLICT'],
    body: z.object({
      email: text(254, 'Unique, compared in lower case'),
      password: password.meta({ description: 'At least 12 characters, and not one of the common passwords' }),
      name: name.optional(),
      role: role.optional(),
      verified_currencies: currencies.optional(),
    }),
    data: accountDetailSchema,
    examples: {
      body: { email: 'shop@example.com', password: 'correct horse battery staple' },
      data: accountDetailExample,
    },
    handler: async ({ actor, body }, { manage }) =>
      accountDetailRecord(await manage.accounts.create(actor, inputOf(body))),
  }),
  manageOperation({
    id: 'archiveAccounts',
    method: 'POST',
    path: '/accounts/archive',
    summary: 'Archive accounts',
    description: 'All of them or none: Apps off, keys revoked, logged out, for good. Again is no error. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    body: z.object({
      ids: z
        .array(recordId<AccountId>('An account'), {
          error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of ids'),
        })
        .min(1, { error: 'must name at least one account' })
        .max(MAX_IDS, { error: `must name at most ${MAX_IDS} accounts` }),
    }),
    data: z
      .object({ total: whole('How many'), items: z.array(accountSchema).readonly() })
      .meta({ id: 'AccountArchiveResult' }),
    examples: {
      body: { ids: [accountExample.id] },
      data: { total: 1, items: [{ ...accountExample, status: 'archived', status_label: 'Archived' }] },
    },
    handler: async ({ actor, body }, { manage }) => {
      const archived = await manage.accounts.archive(actor, body.ids);
      return { total: archived.length, items: archived.map(accountRecord) };
    },
  }),
  manageOperation({
    id: 'getAccount',
    method: 'GET',
    path: '/accounts/{id}',
    summary: 'An account',
    description: "Another's account is answered as an unknown one.",
    errors: ['NOT_FOUND'],
    params: idParams<AccountId>('The account'),
    data: accountDetailSchema,
    examples: { data: accountDetailExample },
    handler: async ({ actor, params: { id } }, { manage }) =>
      accountDetailRecord(await manage.accounts.find(actor, id)),
  }),
  manageOperation({
    id: 'updateAccount',
    method: 'PATCH',
    path: '/accounts/{id}',
    summary: 'Change an account',
    description:
      'active ⇄ disabled; either → archived, which is final. A user may change its own name and picture; the rest is an admin’s.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams<AccountId>('The account'),
    body: z.object({
      name: name.optional(),
      role: role.optional(),
      status: word(['active', 'disabled', 'archived'], 'Where the account moves').optional(),
      avatar_url: text(MAX_URL, 'A picture, http or https').nullable().optional(),
      verified_currencies: currencies.optional(),
    }),
    data: accountDetailSchema,
    examples: {
      body: { status: 'disabled' },
      data: { ...accountDetailExample, status: 'disabled', status_label: 'Disabled' },
    },
    owner: async ({ params: { id } }) => id,
    handler: async ({ actor, params: { id }, body }, { manage }) =>
      accountDetailRecord(await manage.accounts.update(actor, id, inputOf(body))),
  }),
];
