import { formatInstant, invalidField, MERCHANT_DATA, ORDER_STATUSES, REFUND_TO } from '../../../../core/index.ts';
import type { AccountId, LinkId, Order, OrderHistoryEntry, OrderId } from '../../../../core/index.ts';
import { z } from 'zod';
import { code, fiatDecimals, optionalText, price, text } from '../../fields.ts';
import { optionFields, optionsOf } from '../../operations/order-record.ts';
import type { CallbackSettings } from '../../operations/order-record.ts';
import { manageExport } from '../export.ts';
import { cursorFields, idParams, inputOf, instantField, recordId, word } from '../fields.ts';
import { manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { managedOrderRecord, managedOrderSchema, orderFileRecord, orderFileSchema } from './order-record.ts';
import { cursorPage, id, instant } from '../reply-fields.ts';
import { transferExample, transferRecord, transferSchema } from '../payouts/withdrawals.ts';

export const historySchema = z
  .object({
    order_id: id('ID of the order'),
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

const params = idParams<OrderId>('ID of the order');

const MAX_SEARCHED = 2_048;

/** The filter of the order list. */
export const orderFilter = {
  status: word(ORDER_STATUSES, 'Only records with this status').optional(),
  chain: code('Only orders paid on this chain').optional(),
  currency: code('Only orders paid in this currency').optional(),
  from: instantField('Only orders created at or after this time').optional(),
  to: instantField('Only orders created before this time').optional(),
  q: text(
    MAX_SEARCHED,
    'Full order ID, merchant reference, deposit address, or hash of a transaction that pays an order',
  ).optional(),
  link_id: recordId<LinkId>('Only orders of this payment link').optional(),
  user_id: recordId<AccountId>('Only this account; admins see all accounts by default').optional(),
};

const orderListSchema = cursorPage('ManagedOrderList', managedOrderSchema);

/** The body of an order that a person creates. */
function byHandBody(settings: CallbackSettings) {
  return z
    .object({
      vs_price: price('Price of the order in the fiat currency'),
      vs_currency: code('Fiat currency code, such as EUR'),
      chain: code('Chain code; if omitted, the payer chooses the coin').optional(),
      currency: code('Currency code, together with `chain`').optional(),
      user_id: recordId<AccountId>('ID of the account of the order; defaults to your own').optional(),
      remark: optionalText(MERCHANT_DATA.remarkLength, 'Note of the person who creates the order'),
      ...optionFields(settings),
    })
    .refine(...fiatDecimals('vs_price', 'vs_currency'));
}

/** @throws TillgateError `INVALID_FIELDS` for a chain without a currency or a currency without a chain */
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
    body: byHandBody(deps.settings),
    data: managedOrderSchema,
    examples: { body: { vs_price: 25, vs_currency: 'USD', merchant_reference: 'invoice 2026-0042' } },
    owner: ({ actor, body }) => Promise.resolve(body.user_id ?? actor.accountId),
    handler: async ({ actor, body, idempotency }, { manage }) => {
      const { vs_currency: vsCurrency, vs_price: vsPrice, user_id: userId } = body;
      const remark = body.remark ?? '';
      const input = { ...optionsOf(body), vsCurrency, vsPrice, userId, remark, coin: coinOf(body) };
      return managedOrderRecord(await manage.orders.create(actor, input, idempotency));
    },
  })(deps, session);

/** The operations of orders: lists, details, cancelling, accepting and refunding. */
export const orderOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'searchOrders',
    method: 'GET',
    path: '/orders',
    summary: 'List orders',
    description:
      'Returns orders, newest first. To read the next page, send `next_cursor` with the same filters; orders created in the meantime do not shift the pages.',
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
    summary: 'Export orders as CSV',
    description:
      'Returns all orders that match the filters, newest first, each once. Orders created during the export are not included; orders that start or cease to match during the export may be.',
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
    summary: 'Retrieve an order',
    description: 'Returns an order with its payments, callbacks and refund.',
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
      'Refunds the amount received, less the network fee, to the address that the payer entered. With `to: "sender"` it goes to the single sender of the payment, if the payer entered no address. Do not use it for payments from an exchange: the sender is then an address of the exchange, and the payer receives nothing. An order can be refunded once. A refund that needs approval is HELD until another person approves it.',
    idempotent: true,
    bodyOptional: true,
    body: z.object({
      to: word(REFUND_TO, 'Recipient; defaults to `payer`, the address that the payer entered').optional(),
    }),
    errors: [
      'NOT_FOUND',
      'DESTINATION_UNPAYABLE',
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
      body: { to: 'sender' },
      data: {
        ...transferExample,
        kind: 'refund',
        status: 'REQUESTED',
        order_id: '1530218000000000000',
        requested_by: transferExample.account_id,
      },
    },
    handler: async ({ actor, params: { id: orderId }, body, idempotency }, { manage, assets }) =>
      transferRecord(await manage.orders.refund(actor, orderId, idempotency, body.to), assets),
  }),
  manageOperation({
    id: 'terminateOrder',
    method: 'POST',
    path: '/orders/{id}/terminate',
    summary: 'Cancel an order',
    description: 'Cancels an order for which no payment has been seen.',
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
  manageOperation({
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
