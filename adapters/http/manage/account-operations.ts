import type { AccountId } from '../../../core/index.ts';
import { z } from 'zod';
import { pageQuery, text } from '../fields.ts';
import type { Operation } from '../operation.ts';
import type { ManageDeps } from './deps.ts';
import { accountExample, detailExample } from './examples.ts';
import { given, idParams, recordId, texts, word } from './fields.ts';
import type { ManageRow } from './operation.ts';
import { accountArchiveSchema, accountDetailSchema, accountSchema, listOf, manageListSchema } from './records.ts';
import { accountDetailRecord, accountRecord } from './write-records.ts';

const MAX_NAME = 255;
const MAX_URL = 2048;
const MAX_IDS = 100;
const MAX_CURRENCIES = 64;

const role = word(['admin', 'user'], 'What the account may do');
const name = text(MAX_NAME, 'Shown name').nullable();
const currencies = texts(MAX_CURRENCIES, 40, 'Currencies that business verification covers; * for all');

/** Accounts (decisions, section 9). */
export function accountOperations({ settings, manage: { accounts } }: ManageDeps, row: ManageRow): readonly Operation[] {
  const list = row({
    id: 'listAccounts',
    method: 'GET',
    path: '/accounts',
    summary: 'Accounts',
    description: 'Newest first; a user sees its own.',
    query: pageQuery(settings.pageMax),
    data: manageListSchema('AccountList', accountSchema),
    examples: { data: { page: 1, size: 10, total: 1, max_page: 1, items: [accountExample] } },
    handler: async ({ actor, query }) => listOf(await accounts.list(actor, query), accountRecord),
  });
  const create = row({
    id: 'createAccount',
    method: 'POST',
    path: '/accounts',
    status: 201,
    summary: 'Make an account',
    description: 'Active from the start. Admins only.',
    errors: ['STATE_CONFLICT'],
    body: z.object({
      email: text(254, 'Unique, compared in lower case'),
      password: text(1024, 'At least 8 characters'),
      name: name.optional(),
      role: role.optional(),
      verified_currencies: currencies.optional(),
    }),
    data: accountDetailSchema,
    examples: { body: { email: 'shop@example.com', password: 'correct horse battery staple' }, data: detailExample },
    handler: async ({ actor, body: { verified_currencies: verifiedCurrencies, ...body } }) =>
      accountDetailRecord(await accounts.create(actor, given({ ...body, verifiedCurrencies }))),
  });
  const find = row({
    id: 'getAccount',
    method: 'GET',
    path: '/accounts/{id}',
    summary: 'An account',
    description: "Another's account is answered as an unknown one.",
    errors: ['NOT_FOUND'],
    params: idParams('The account'),
    data: accountDetailSchema,
    examples: { data: detailExample },
    handler: async ({ actor, params }) => accountDetailRecord(await accounts.find(actor, params.id as AccountId)),
  });
  const update = row({
    id: 'updateAccount',
    method: 'PATCH',
    path: '/accounts/{id}',
    summary: 'Change an account',
    description: 'active ⇄ disabled; either → archived, which is final. A user may change its own name and picture; the rest is an admin’s.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams('The account'),
    body: z.object({
      name: name.optional(),
      role: role.optional(),
      status: word(['active', 'disabled', 'archived'], 'Where the account moves').optional(),
      avatar_url: text(MAX_URL, 'A picture, http or https').nullable().optional(),
      verified_currencies: currencies.optional(),
    }),
    data: accountDetailSchema,
    examples: { body: { status: 'disabled' }, data: { ...detailExample, status: 'disabled', status_label: 'Disabled' } },
    handler: async ({ actor, params, body: { avatar_url: avatarUrl, verified_currencies: verifiedCurrencies, ...body } }) =>
      accountDetailRecord(await accounts.update(actor, params.id as AccountId, given({ ...body, avatarUrl, verifiedCurrencies }))),
  });
  const archive = row({
    id: 'archiveAccounts',
    method: 'POST',
    path: '/accounts/archive',
    summary: 'Archive accounts',
    description: 'All of them or none: Apps off, keys revoked, logged out, for good. Again is no error. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    body: z.object({
      ids: z
        .array(recordId('An account'), { error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of ids') })
        .min(1, { error: 'must name at least one account' })
        .max(MAX_IDS, { error: `must name at most ${MAX_IDS} accounts` }),
    }),
    data: accountArchiveSchema,
    examples: { body: { ids: [accountExample.id] }, data: { total: 1, items: [{ ...accountExample, status: 'archived', status_label: 'Archived' }] } },
    handler: async ({ actor, body: { ids } }) => {
      const archived = await accounts.archive(actor, ids as AccountId[]);
      return { total: archived.length, items: archived.map(accountRecord) };
    },
  });
  return [list, create, archive, find, update];
}
