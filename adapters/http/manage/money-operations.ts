import type { AccountId, TransferId, WatchAddressId } from '../../../core/index.ts';
import { TRANSFER_STATUSES } from '../../../core/index.ts';
import { z } from 'zod';
import { code, pageQuery, text } from '../fields.ts';
import type { Operation } from '../operation.ts';
import type { ManageDeps } from './deps.ts';
import { transferExample, watchExample, withdrawalAddressExample } from './examples.ts';
import { accountPageQuery, given, idParams, recordId, word } from './fields.ts';
import {
  removedWatchSchema,
  transferDetailRecord,
  transferDetailSchema,
  transferRecord,
  transferSchema,
  watchAddressRecord,
  watchAddressSchema,
  withdrawalAddressRecord,
  withdrawalAddressSchema,
} from './money-records.ts';
import type { ManageRow } from './operation.ts';
import { listOf, manageListSchema, securitySchema } from './records.ts';
import { securityRecord } from './write-records.ts';

const MAX_ADDRESS = 256;
const MAX_REASON = 255;
const owner = recordId('The account; your own unless told').optional();

/** Where withdrawals go (decisions, section 5). */
export function withdrawalAddressOperations({ settings, manage: { addresses } }: ManageDeps, row: ManageRow): readonly Operation[] {
  const list = row({
    id: 'listWithdrawalAddresses',
    method: 'GET',
    path: '/withdrawal-addresses',
    summary: 'Where withdrawals go',
    description: 'By chain: the registered address, and the one that is in force now.',
    errors: ['NOT_FOUND'],
    query: accountPageQuery(settings.pageMax),
    data: manageListSchema('WithdrawalAddressList', withdrawalAddressSchema),
    examples: { data: { page: 1, size: 10, total: 1, max_page: 1, items: [withdrawalAddressExample] } },
    handler: async ({ actor, query: { account_id, ...page } }) => listOf(await addresses.list(actor, account_id as AccountId | undefined, page), withdrawalAddressRecord),
  });
  const register = row({
    id: 'setWithdrawalAddress',
    method: 'POST',
    path: '/withdrawal-addresses',
    status: 201,
    summary: 'Say where withdrawals go',
    description: 'A new address waits out its hold, in which the former one stays in force; the same one again changes nothing. An account with a confirmed second factor gives a code of it. Only an admin names another account.',
    errors: ['NOT_FOUND', 'UNSUPPORTED', 'VERIFY_CODE_INVALID', 'STATE_CONFLICT'],
    body: z.object({
      chain: code('Chain code'),
      address: text(MAX_ADDRESS, 'An address on the chain'),
      account_id: owner,
      totp: text(16, 'A code of the second factor, once one was confirmed').optional(),
    }),
    data: withdrawalAddressSchema,
    examples: { body: { chain: 'ETH', address: withdrawalAddressExample.address }, data: withdrawalAddressExample },
    handler: async ({ actor, body: { account_id: accountId, chain, address, totp } }) =>
      withdrawalAddressRecord(await addresses.register(actor, given({ accountId: accountId as AccountId | undefined, chain, address, totp }))),
  });
  return [list, register];
}

/** Whose on-chain balances an account wants to see (endpoint 10). */
export function watchAddressOperations({ settings, manage: { addresses } }: ManageDeps, row: ManageRow): readonly Operation[] {
  const list = row({
    id: 'listWatchAddresses',
    method: 'GET',
    path: '/watch-addresses',
    summary: 'Watched addresses',
    description: 'Newest first: what Get Self-custody Balances sums up.',
    errors: ['NOT_FOUND'],
    query: accountPageQuery(settings.pageMax),
    data: manageListSchema('WatchAddressList', watchAddressSchema),
    examples: { data: { page: 1, size: 10, total: 1, max_page: 1, items: [watchExample] } },
    handler: async ({ actor, query: { account_id, ...page } }) => listOf(await addresses.watched(actor, account_id as AccountId | undefined, page), watchAddressRecord),
  });
  const create = row({
    id: 'createWatchAddress',
    method: 'POST',
    path: '/watch-addresses',
    status: 201,
    summary: 'Watch an address',
    description: 'An address, or an extended public key, of your own; it is never spent from. Only an admin names another account.',
    errors: ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT'],
    body: z.object({ chain: code('Chain code'), value: text(MAX_ADDRESS, 'An address or an extended public key'), label: text(255, 'Shown name').optional(), account_id: owner }),
    data: watchAddressSchema,
    examples: { body: { chain: 'ETH', value: watchExample.value, label: watchExample.label }, data: watchExample },
    handler: async ({ actor, body: { account_id: accountId, ...body } }) => watchAddressRecord(await addresses.watch(actor, given({ ...body, accountId: accountId as AccountId | undefined }))),
  });
  const remove = row({
    id: 'removeWatchAddress',
    method: 'DELETE',
    path: '/watch-addresses/{id}',
    summary: 'Watch an address no more',
    description: "Another account's is answered as an unknown one.",
    errors: ['NOT_FOUND'],
    params: idParams('The record'),
    data: removedWatchSchema,
    handler: async ({ actor, params }) => {
      const { id } = await addresses.unwatch(actor, params.id as WatchAddressId);
      return { id, removed: true } as const;
    },
  });
  return [list, create, remove];
}

/** Money on its way out, for admins. */
export function withdrawalOperations({ settings, manage: { withdrawals, security }, assets }: ManageDeps, row: ManageRow): readonly Operation[] {
  const params = idParams('The transfer');
  const list = row({
    id: 'listTransfers',
    method: 'GET',
    path: '/withdrawals',
    summary: 'Money on its way out',
    description: 'Newest first: withdrawals, refunds, and the till’s own moves. `status=HELD` are those that wait for an approval. Admins only.',
    query: pageQuery(settings.pageMax).extend({ status: word(TRANSFER_STATUSES, 'Only these').optional() }),
    data: manageListSchema('TransferList', transferSchema),
    examples: { data: { page: 1, size: 10, total: 1, max_page: 1, items: [transferExample] } },
    handler: async ({ actor, query: { status, ...page } }) => listOf(await withdrawals.list(actor, status ?? null, page), (transfer) => transferRecord(transfer, assets)),
  });
  const find = row({
    id: 'getTransfer',
    method: 'GET',
    path: '/withdrawals/{id}',
    summary: 'A transfer',
    description: 'With every transaction that was signed for it. Admins only.',
    errors: ['NOT_FOUND'],
    params,
    data: transferDetailSchema,
    examples: { data: { ...transferExample, bundle: null } },
    handler: async ({ actor, params: { id } }) => transferDetailRecord(await withdrawals.find(actor, id as TransferId), assets),
  });
  const approve = row({
    id: 'approveWithdrawal',
    method: 'POST',
    path: '/withdrawals/{id}/approve',
    summary: 'Approve a held withdrawal',
    description: 'It is paid then. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: transferSchema,
    examples: { data: { ...transferExample, status: 'REQUESTED' } },
    handler: async ({ actor, params: { id } }) => transferRecord(await withdrawals.approve(actor, id as TransferId), assets),
  });
  const reject = row({
    id: 'rejectWithdrawal',
    method: 'POST',
    path: '/withdrawals/{id}/reject',
    summary: 'Reject a withdrawal',
    description: 'One for which nothing was signed: the amount is the account’s again. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    body: z.object({ reason: text(MAX_REASON, 'Why; on record, and told to whoever asks for the transfer') }),
    data: transferSchema,
    examples: { body: { reason: 'The receiver is not known.' }, data: { ...transferExample, status: 'FAILED', reason: 'The receiver is not known.', finished_at: transferExample.modified_at } },
    handler: async ({ actor, params: { id }, body }) => transferRecord(await withdrawals.reject(actor, id as TransferId, body.reason), assets),
  });
  const unfreeze = row({
    id: 'unfreezeWithdrawals',
    method: 'POST',
    path: '/accounts/{id}/unfreeze-withdrawals',
    summary: 'Let an account withdraw again',
    description: 'Its withdrawals were frozen, for instance since a reorganisation took back what had been withdrawn. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams('The account'),
    data: securitySchema,
    handler: async ({ actor, params: { id } }) => {
      await withdrawals.unfreeze(actor, id as AccountId);
      return securityRecord(await security.find(actor, id as AccountId));
    },
  });
  return [list, find, approve, reject, unfreeze];
}
