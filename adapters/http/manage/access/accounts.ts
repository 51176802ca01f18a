import type { AccountDetail, AccountEntry, AccountId } from '../../../../core/index.ts';
import { z } from 'zod';
import { text } from '../../fields.ts';
import { idParams, inputOf, password, recordId, texts, word } from '../fields.ts';
import { manageList, apiOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { id, instant, pageRecord, time, whole } from '../reply-fields.ts';

const MAX_NAME = 255;
const MAX_URL = 2048;
const MAX_IDS = 100;
const MAX_COINS = 64;

const accountFields = {
  id: id('ID of the account'),
  email: z.string(),
  role: z.enum(['admin', 'user']).meta({ id: 'AccountRole' }),
  status: z.enum(['active', 'disabled', 'archived']).meta({ id: 'AccountStatus' }),
  activated: z.boolean().meta({ description: 'Always true: accounts need no separate activation' }),
  role_label: z.string(),
  status_label: z.string(),
  name: z.string().nullable(),
  avatar_url: z.string().nullable(),
  created_at: instant('Time of creation').nullable(),
  updated_at: instant('Time of the last change').nullable(),
};
export const accountSchema = z.object(accountFields).meta({ id: 'AccountBase' });

export const accountDetailSchema = z
  .object({
    ...accountFields,
    app_count: whole('Number of Apps of the account'),
    gateway_count: whole('Number of enabled gateways that the enabled Apps of the account can use'),
    first_login_at: instant('Time of the first login').nullable(),
    last_login_at: instant('Time of the last login').nullable(),
    last_login_ip: z.string().nullable(),
    last_login_user_agent: z.string().nullable(),
    verified_coins: z
      .array(z.string())
      .readonly()
      .meta({ description: 'Codes of the coins covered by business verification; * for all' }),
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
    updated_at: time(account.modifiedAt),
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
    verified_coins: account.verifiedCurrencies,
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
  updated_at: '2026-05-04T12:00:00.000Z',
} as const satisfies AccountRecord;

export const accountDetailExample = {
  ...accountExample,
  app_count: 1,
  gateway_count: 1,
  first_login_at: null,
  last_login_at: null,
  last_login_ip: null,
  last_login_user_agent: null,
  verified_coins: ['*'],
} as const satisfies AccountDetailRecord;

const name = text(MAX_NAME, 'Display name').nullable();
const role = word(['admin', 'user'], 'Role of the account');
const coins = texts(MAX_COINS, 40, 'Codes of the coins covered by business verification; * for all');

/** The operations of accounts. */
export const accountOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'accounts.list', scope: null },
    id: 'listAccounts',
    path: '/accounts',
    summary: 'List accounts',
    description: 'Returns accounts, newest first. A user sees only its own account.',
    filter: {
      q: text(254, 'Only accounts with this text in their email address or name, regardless of case').optional(),
    },
    name: 'AccountList',
    item: accountSchema,
    example: accountExample,
    handler: async ({ actor, query }, { manage }) =>
      pageRecord(await manage.accounts.list(actor, query), accountRecord),
  }),
  apiOperation({
    offer: { name: 'accounts.create', scope: null },
    id: 'createAccount',
    method: 'POST',
    path: '/accounts',
    status: 201,
    summary: 'Create an account',
    description:
      'Creates an active account. Its password is temporary: it expires, and must be changed at the first login. Admins only.',
    errors: ['STATE_CONFLICT'],
    body: z.object({
      email: text(254, 'Email address, unique regardless of case'),
      password: password.optional().meta({
        description: 'At least 12 characters, and not a common password; if omitted, nobody can log in to the account',
      }),
      name: name.optional(),
      role: role.optional(),
      verified_coins: coins.optional(),
    }),
    data: accountDetailSchema,
    examples: {
      body: { email: 'shop@example.com', password: 'correct horse battery staple' },
      data: accountDetailExample,
    },
    handler: async ({ actor, body }, { manage }) =>
      accountDetailRecord(await manage.accounts.create(actor, inputOf(body))),
  }),
  apiOperation({
    offer: { name: 'accounts.archive', scope: null },
    id: 'archiveAccounts',
    method: 'POST',
    path: '/accounts/archive',
    summary: 'Archive accounts',
    description:
      'Archives all of the accounts or none: disables their Apps, revokes their keys and ends their sessions. Refused for an account that has a balance or an open order. An admin can restore an account within 30 days (PATCH with `status: "active"`), or later while it has a balance; its Apps stay disabled and its keys revoked. Archiving an archived account changes nothing. Admins only; requires a step-up.',
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
      .object({ total: whole('Number of accounts'), items: z.array(accountSchema).readonly() })
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
  apiOperation({
    offer: { name: 'accounts.get', scope: null },
    id: 'getAccount',
    method: 'GET',
    path: '/accounts/{id}',
    summary: 'Retrieve an account',
    description: 'Returns an account. An account that you may not see is reported as not found.',
    errors: ['NOT_FOUND'],
    params: idParams<AccountId>('ID of the account'),
    data: accountDetailSchema,
    examples: { data: accountDetailExample },
    handler: async ({ actor, params: { id } }, { manage }) =>
      accountDetailRecord(await manage.accounts.find(actor, id)),
  }),
  apiOperation({
    offer: { name: 'accounts.update', scope: null },
    id: 'updateAccount',
    method: 'PATCH',
    path: '/accounts/{id}',
    summary: 'Update an account',
    description:
      'Users can change their own name and picture; admins can change everything. An active account can be disabled and enabled again; both can be archived, and restored within 30 days. Requires a step-up, except to change the name or picture or to disable an account.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams<AccountId>('ID of the account'),
    body: z.object({
      name: name.optional(),
      role: role.optional(),
      status: word(['active', 'disabled', 'archived'], 'New status').optional(),
      avatar_url: text(MAX_URL, 'URL of a picture (http or https)').nullable().optional(),
      verified_coins: coins.optional(),
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
