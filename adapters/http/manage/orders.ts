import { formatInstant, invalidField, ORDER_STATUSES } from '../../../core/index.ts';
import type { AccountId, LinkId, Order, OrderHistoryEntry, OrderId } from '../../../core/index.ts';
import { z } from 'zod';
import { code, fiatDecimals, price, text } from '../fields.ts';
import { optionFields, optionsOf } from '../operations/order-record.ts';
import type { CallbackSettings } from '../operations/order-record.ts';
import { manageExport } from './export.ts';
import { cursorFields, idParams, inputOf, instantField, recordId, word } from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { managedOrderRecord, managedOrderSchema, orderFileRecord, orderFileSchema } from './order-record.ts';
import { cursorPage, id, instant } from './reply-fields.ts';
import { transferExample, transferRecord, transferSchema } from './withdrawals.ts';

export const historySchema = z
  .object({
    order_id: id('The order'),
    status: z.enum(ORDER_STATUSES),
    items: z
      .array(
        z.object({
          at: instant('When'),
          from: z.enum(ORDER_STATUSES).nullable(),
          to: z.enum(ORDER_STATUSES),
          rule: z.string(),
          inputs: z.record(z.string(), z.unknown()).meta({ description: 'What the rule looked at' }),
          rate: z
            .unknown()
            .meta({ description: 'The rate of the order then, with its sources; null before one was fixed' }),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'OrderHistory' });

function historyRecord({
  order,
  entries,
}: {
  readonly order: Order;
  readonly entries: readonly OrderHistoryEntry[];
}): z.input<typeof historySchema> {
  return {
    order_id: order.id,
    status: order.status,
    items: entries.map(({ at, from, to, rule, inputs, rate }) => ({
      at: formatInstant(at),
      from,
      to,
      rule,
      inputs: { ...inputs },
      rate,
    })),
  };
}

const params = idParams<OrderId>('The order');

const MAX_SEARCHED = 2_048;

/** Which orders a list shows. */
export const orderFilter = {
  status: word(ORDER_STATUSES, 'Only these').optional(),
  chain: code('Only those that are paid on this chain').optional(),
  currency: code('Only those that are paid in this coin').optional(),
  from: instantField('Only those created then or later').optional(),
  to: instantField('Only those created before').optional(),
  q: text(
    MAX_SEARCHED,
    'An order id, a merchant reference, a deposit address, or the hash of a transaction that pays an order; the whole of it',
  ).optional(),
  link_id: recordId<LinkId>('Only those that this payment link made').optional(),
  user_id: recordId<AccountId>("Only this account's; an admin sees all by default").optional(),
};

const orderListSchema = cursorPage('ManagedOrderList', managedOrderSchema);

/** The body of an order that is made by hand. */
function byHandBody(settings: CallbackSettings) {
  return z
    .object({
      vs_price: price('Fiat amount of the order'),
      vs_currency: code('Fiat code'),
      chain: code('The chain of a given coin; the payer chooses one without it').optional(),
      currency: code('The coin, with `chain`').optional(),
      user_id: recordId<AccountId>('Whose order it is; your own by default').optional(),
      ...optionFields(settings),
    })
    .refine(...fiatDecimals('vs_price', 'vs_currency'));
}

/** @throws TillgateError `INVALID_FIELDS` for half a coin */
function coinOf({ chain, currency }: { readonly chain?: string | undefined; readonly currency?: string | undefined }) {
  if (chain !== undefined && currency !== undefined) return { chain, currency };
  if (chain === undefined && currency === undefined) return null;
  throw invalidField(
    chain === undefined ? 'chain' : 'currency',
    'is required with the other one of chain and currency',
  );
}

const createByHand: ManageOperation = (deps, session) =>
  manageOperation({
    id: 'createOrderByHand',
    method: 'POST',
    path: '/orders',
    status: 201,
    idempotent: true,
    summary: 'Make an order by hand',
    description:
      'In a given coin, or in the one that the payer chooses at `pay_url`. Only an admin names another account. Its callbacks carry the callback key of the account in place of an API key.',
    errors: [
      'NOT_FOUND',
      'UNSUPPORTED',
      'AMOUNT_OUT_OF_RANGE',
      'STATE_CONFLICT',
      'IDEMPOTENCY_MISMATCH',
      'IDEMPOTENCY_RUNNING',
      'NODE_FAILED',
      'NOT_READY',
    ],
    body: byHandBody(deps.settings),
    data: managedOrderSchema,
    examples: { body: { vs_price: 25, vs_currency: 'USD', merchant_reference: 'invoice 2026-0042' } },
    owner: ({ actor, body }) => Promise.resolve(body.user_id ?? actor.accountId),
    handler: async ({ actor, body, idempotency }, { manage }) => {
      const { vs_currency: vsCurrency, vs_price: vsPrice, user_id: userId } = body;
      const input = { ...optionsOf(body), vsCurrency, vsPrice, userId, coin: coinOf(body) };
      return managedOrderRecord(await manage.orders.create(actor, input, idempotency));
    },
  })(deps, session);

/** Orders, and decisions about them that a person makes. */
export const orderOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'searchOrders',
    method: 'GET',
    path: '/orders',
    summary: 'Orders',
    description:
      'Newest first. `next_cursor` asks for the next page of the same list, with the same filters; orders that are created meanwhile do not move it.',
    errors: ['NOT_FOUND'],
    query: z.object({
      ...orderFilter,
      ...cursorFields,
    }),
    data: orderListSchema,
    handler: async ({ actor, query: { limit, ...query } }, { manage }) => {
      const { items, nextCursor } = await manage.orders.list(actor, { ...inputOf(query), limit });
      return { items: items.map(managedOrderRecord), next_cursor: nextCursor };
    },
  }),
  manageExport({
    id: 'exportOrders',
    path: '/orders',
    summary: 'Orders as CSV',
    description:
      'All orders of the list with these filters, newest first, each once. Orders that are created meanwhile are not in it; one that enters or leaves the filter meanwhile may be.',
    errors: ['NOT_FOUND'],
    query: z.object(orderFilter),
    schema: managedOrderSchema,
    record: managedOrderRecord,
    pages: ({ actor, query }, { manage }) => manage.orders.export(actor, inputOf(query)),
  }),
  createByHand,
  manageOperation({
    id: 'getOrder',
    method: 'GET',
    path: '/orders/{id}',
    summary: 'An order',
    description: 'With its transactions, its callbacks and its refund.',
    errors: ['NOT_FOUND'],
    params,
    data: orderFileSchema,
    handler: async ({ actor, params: { id } }, { manage, assets }) =>
      orderFileRecord(await manage.orders.find(actor, id), assets),
  }),
  manageOperation({
    id: 'refundOrderByHand',
    method: 'POST',
    path: '/orders/{id}/refund',
    summary: 'Refund an order',
    description:
      'As the payment API does: what was received, less the network’s fee, to the address that the payer left or to the single sender. Once for each order. What goes beyond a limit is HELD, and approved by somebody else.',
    idempotent: true,
    errors: [
      'NOT_FOUND',
      'STATE_CONFLICT',
      'IDEMPOTENCY_MISMATCH',
      'IDEMPOTENCY_RUNNING',
      'INSUFFICIENT_BALANCE',
      'NODE_FAILED',
      'NOT_READY',
    ],
    params,
    data: transferSchema,
    examples: {
      data: {
        ...transferExample,
        kind: 'refund',
        status: 'REQUESTED',
        order_id: '1530218000000000000',
        requested_by: transferExample.account_id,
      },
    },
    handler: async ({ actor, params: { id: orderId }, idempotency }, { manage, assets }) =>
      transferRecord(await manage.orders.refund(actor, orderId, idempotency), assets),
  }),
  manageOperation({
    id: 'terminateOrder',
    method: 'POST',
    path: '/orders/{id}/terminate',
    summary: 'Cancel an order',
    description: 'While nothing was seen (decisions, section 4).',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: managedOrderSchema,
    handler: async ({ actor, params: { id } }, { manage }) =>
      managedOrderRecord(await manage.orders.terminate(actor, id)),
  }),
  manageOperation({
    id: 'resolveOrder',
    method: 'POST',
    path: '/orders/{id}/resolve',
    summary: 'Accept an order as it is',
    description: 'OVERDUE or PARTIAL (decisions, section 4).',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: managedOrderSchema,
    handler: async ({ actor, params: { id } }, { manage }) =>
      managedOrderRecord(await manage.orders.resolve(actor, id)),
  }),
  manageOperation({
    id: 'removeRefundAddress',
    method: 'DELETE',
    path: '/orders/{id}/refund-address',
    summary: 'Remove the address that was left for a refund',
    description: 'It is left once, by whoever has the address of the page; after this another one can be left.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: managedOrderSchema,
    handler: async ({ actor, params: { id } }, { manage }) =>
      managedOrderRecord(await manage.orders.removeRefundAddress(actor, id)),
  }),
  manageOperation({
    id: 'getOrderHistory',
    method: 'GET',
    path: '/orders/{id}/history',
    summary: 'Why an order is what it is',
    description: 'Each change with its rule, what the rule looked at, and the rate; the creation first.',
    errors: ['NOT_FOUND'],
    params,
    data: historySchema,
    handler: async ({ actor, params: { id } }, { manage }) => historyRecord(await manage.orders.history(actor, id)),
  }),
];
