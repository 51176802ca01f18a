import { formatInstant, MERCHANT_DATA, ORDER_STATUSES } from '../../../../core/index.ts';
import type { AccountId, LinkId, Order, OrderHistoryEntry, OrderId } from '../../../../core/index.ts';
import { z } from 'zod';
import { code, decimalText, fiatDecimals, optionalText, text } from '../../fields.ts';
import { InvalidRequest } from '../../invalid-request.ts';
import { optionFields, optionsOf } from '../../operations/order-record.ts';
import type { CallbackSettings } from '../../operations/order-record.ts';
import { manageExport } from '../export.ts';
import { filterOf, idParams, instantField, ownerField, recordId, word } from '../fields.ts';
import { apiOperation, bySettings, manageList, manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { managedOrderRecord, managedOrderSchema, orderFileRecord, orderFileSchema } from './order-record.ts';
import { id, instant, pageRecord } from '../reply-fields.ts';

export const historySchema = z
  .object({
    order: id('ID of the order'),
    status: z.enum(ORDER_STATUSES),
    items: z
      .array(
        z.object({
          at: instant('Time of the change'),
          from: z.enum(ORDER_STATUSES).nullable(),
          to: z.enum(ORDER_STATUSES),
          rule: z.string(),
          inputs: z.record(z.string(), z.unknown()).meta({ description: 'Facts on which the rule decided' }),
          rate: z
            .unknown()
            .meta({ description: 'Rate of the order at that time, with its sources; null until a rate was fixed' }),
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
    order: order.id,
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

const params = idParams<OrderId>('ID of the order');

const MAX_SEARCHED = 2_048;

/** The filter of the order list. */
export const orderFilter = {
  status: word(ORDER_STATUSES, 'Only records with this status').optional(),
  chain: code('Only orders paid on this chain').optional(),
  coin: code('Only orders paid in this coin').optional(),
  from: instantField('Only orders created at or after this time').optional(),
  to: instantField('Only orders created before this time').optional(),
  q: text(
    MAX_SEARCHED,
    'Full order ID, merchant reference, deposit address, or hash of a transaction that pays an order',
  ).optional(),
  link: recordId<LinkId>('Only orders of this payment link').optional(),
  account: recordId<AccountId>('Only this account; admins see all accounts by default').optional(),
};

/** The body of an order that a person creates. */
function byHandBody(settings: CallbackSettings) {
  return z
    .object({
      price: decimalText('Price of the order in the fiat currency'),
      currency: code('Fiat currency code, such as EUR'),
      chain: code('Chain code; if omitted, the payer chooses the coin').optional(),
      coin: code('Currency code of the coin, together with `chain`').optional(),
      account: ownerField,
      remark: optionalText(MERCHANT_DATA.remarkLength, 'Note of the person who creates the order'),
      ...optionFields(settings),
    })
    .refine(...fiatDecimals('price', 'currency'));
}

/** @throws TillgateError `INVALID_FIELDS` for a chain without a currency or a currency without a chain */
function coinOf({ chain, coin }: { readonly chain?: string | undefined; readonly coin?: string | undefined }) {
  if (chain !== undefined && coin !== undefined) return { chain, currency: coin };
  if (chain === undefined && coin === undefined) return null;
  const path = chain === undefined ? 'chain' : 'coin';
  throw new InvalidRequest([{ path, message: 'is required with the other one of chain and coin' }]);
}

const createByHand = bySettings((settings) =>
  apiOperation({
    offer: { name: 'orders.create', scope: 'create' },
    id: 'createOrderByHand',
    method: 'POST',
    path: '/orders',
    status: 201,
    idempotent: true,
    summary: 'Create an order',
    description:
      "Creates an order in a given coin, or in the coin that the payer chooses at `pay_url`. Only admins can create one for another account. Its callbacks carry the account's callback key instead of an API key.",
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
    body: byHandBody(settings),
    data: managedOrderSchema,
    examples: { body: { price: '25', currency: 'USD', merchant_reference: 'invoice 2026-0042' } },
    owner: ({ actor, body }) => Promise.resolve(body.account ?? actor.accountId),
    handler: async ({ actor, body, idempotency }, { manage }) => {
      const { currency: vsCurrency, price: vsPrice, account: userId } = body;
      const remark = body.remark ?? '';
      const input = { ...optionsOf(body), vsCurrency, vsPrice, userId, remark, coin: coinOf(body) };
      return managedOrderRecord(await manage.orders.create(actor, input, idempotency));
    },
  }),
);

/** The operations of orders: lists, details, cancelling, accepting and refunding. */
export const orderOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'orders.list', scope: 'read' },
    id: 'searchOrders',
    path: '/orders',
    summary: 'List orders',
    description: 'Returns orders, newest first. Orders created while pages are read do not shift them.',
    errors: ['NOT_FOUND'],
    filter: orderFilter,
    name: 'ManagedOrderList',
    item: managedOrderSchema,
    handler: async ({ actor, query }, { manage }) =>
      pageRecord(await manage.orders.list(actor, filterOf(query)), managedOrderRecord),
  }),
  manageExport({
    id: 'exportOrders',
    path: '/orders',
    summary: 'Export orders as CSV',
    description:
      'Returns all orders that match the filters, newest first, each once. Orders created during the export are not included; orders that start or cease to match during the export may be.',
    errors: ['NOT_FOUND'],
    query: z.object(orderFilter),
    schema: managedOrderSchema,
    record: managedOrderRecord,
    pages: ({ actor, query }, { manage }) => manage.orders.export(actor, filterOf(query)),
  }),
  createByHand,
  apiOperation({
    offer: { name: 'orders.get', scope: 'read' },
    id: 'getOrder',
    method: 'GET',
    path: '/orders/{id}',
    summary: 'Retrieve an order',
    description: 'Returns an order with its payments, callbacks and refunds.',
    errors: ['NOT_FOUND'],
    params,
    data: orderFileSchema,
    handler: async ({ actor, params: { id } }, { manage, assets }) =>
      orderFileRecord(await manage.orders.find(actor, id), assets),
  }),
  apiOperation({
    offer: { name: 'orders.cancel', scope: 'create' },
    id: 'terminateOrder',
    method: 'POST',
    path: '/orders/{id}/cancel',
    summary: 'Cancel an order',
    description: 'Cancels an order for which no payment has been seen.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: managedOrderSchema,
    handler: async ({ actor, params: { id } }, { manage }) =>
      managedOrderRecord(await manage.orders.terminate(actor, id)),
  }),
  apiOperation({
    offer: { name: 'orders.resolve', scope: null },
    id: 'resolveOrder',
    method: 'POST',
    path: '/orders/{id}/resolve',
    summary: 'Accept an order',
    description: 'Accepts an OVERDUE or PARTIAL order as paid.',
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
    summary: 'Remove the refund address',
    description:
      'Removes the address entered on the checkout page, where anyone who has its URL can enter one. Afterwards a new address can be entered.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: managedOrderSchema,
    handler: async ({ actor, params: { id } }, { manage }) =>
      managedOrderRecord(await manage.orders.removeRefundAddress(actor, id)),
  }),
  apiOperation({
    offer: { name: 'orders.history', scope: 'read' },
    id: 'getOrderHistory',
    method: 'GET',
    path: '/orders/{id}/history',
    summary: 'Explain the status of an order',
    description:
      'Returns each change of status, starting with the creation, with the rule that decided it, the facts on which it decided, and the rate.',
    errors: ['NOT_FOUND'],
    params,
    data: historySchema,
    handler: async ({ actor, params: { id } }, { manage }) => historyRecord(await manage.orders.history(actor, id)),
  }),
];
