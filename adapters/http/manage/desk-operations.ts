import type { AccountId, CallbackId, OrderId } from '../../../core/index.ts';
import type { Operation } from '../operation.ts';
import type { ManageDeps } from './deps.ts';
import { accountPageQuery, given, idParams, word } from './fields.ts';
import type { ManageRow } from './operation.ts';
import { auditSchema, callbackDetailSchema, callbackSchema, listOf, manageListSchema, operatedOrderSchema, orderHistorySchema } from './records.ts';
import { auditRecord, callbackDetailRecord, callbackRecord, operatedOrderRecord, orderHistoryRecord } from './write-records.ts';

/** The outbox (decisions, section 7). */
export function callbackOperations({ settings, manage: { callbacks } }: ManageDeps, row: ManageRow): readonly Operation[] {
  const list = row({
    id: 'listCallbacks',
    method: 'GET',
    path: '/callbacks',
    summary: 'Callbacks',
    description: 'Newest first.',
    errors: ['NOT_FOUND'],
    query: accountPageQuery(settings.pageMax).extend({ status: word(['PENDING', 'DELIVERED', 'DEAD'], 'Only these').optional() }),
    data: manageListSchema('CallbackList', callbackSchema),
    handler: async ({ actor, query: { account_id: accountId, status, ...page } }) =>
      listOf(await callbacks.list(actor, given({ accountId: accountId as AccountId | undefined, status }), page), callbackRecord),
  });
  const find = row({
    id: 'getCallback',
    method: 'GET',
    path: '/callbacks/{id}',
    summary: 'A callback',
    description: 'With how each attempt went.',
    errors: ['NOT_FOUND'],
    params: idParams('The callback'),
    data: callbackDetailSchema,
    handler: async ({ actor, params }) => callbackDetailRecord(await callbacks.find(actor, params.id as CallbackId)),
  });
  const redeliver = row({
    id: 'redeliverCallback',
    method: 'POST',
    path: '/callbacks/{id}/redeliver',
    summary: 'Send a callback again',
    description: 'A delivered or a dead one, its schedule from the start.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams('The callback'),
    data: callbackDetailSchema,
    handler: async ({ actor, params }) => callbackDetailRecord(await callbacks.redeliver(actor, params.id as CallbackId)),
  });
  return [list, find, redeliver];
}

/** What is decided about orders by hand. */
export function orderDeskOperations({ manage: { orders } }: ManageDeps, row: ManageRow): readonly Operation[] {
  const params = idParams('The order');
  const terminate = row({
    id: 'terminateOrder',
    method: 'POST',
    path: '/orders/{id}/terminate',
    summary: 'Cancel an order',
    description: 'While nothing was seen (decisions, section 4).',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: operatedOrderSchema,
    handler: async ({ actor, params: { id } }) => operatedOrderRecord(await orders.terminate(actor, id as OrderId)),
  });
  const resolve = row({
    id: 'resolveOrder',
    method: 'POST',
    path: '/orders/{id}/resolve',
    summary: 'Accept an order as it is',
    description: 'OVERDUE or PARTIAL (decisions, section 4).',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: operatedOrderSchema,
    handler: async ({ actor, params: { id } }) => operatedOrderRecord(await orders.resolve(actor, id as OrderId)),
  });
  const history = row({
    id: 'getOrderHistory',
    method: 'GET',
    path: '/orders/{id}/history',
    summary: 'Why an order is what it is',
    description: 'Each change with its rule, what the rule looked at, and the rate; the creation first.',
    errors: ['NOT_FOUND'],
    params,
    data: orderHistorySchema,
    handler: async ({ actor, params: { id } }) => orderHistoryRecord(await orders.history(actor, id as OrderId)),
  });
  return [terminate, resolve, history];
}

/** The audit trail. */
export function auditOperations({ settings, manage: { audit } }: ManageDeps, row: ManageRow): readonly Operation[] {
  const list = row({
    id: 'listAudit',
    method: 'GET',
    path: '/audit',
    summary: 'The audit trail',
    description: "Newest first: what was done to the account's records; an admin sees everything.",
    errors: ['NOT_FOUND'],
    query: accountPageQuery(settings.pageMax),
    data: manageListSchema('AuditList', auditSchema),
    handler: async ({ actor, query: { account_id, ...page } }) => listOf(await audit.list(actor, account_id as AccountId | undefined, page), auditRecord),
  });
  return [list];
}
