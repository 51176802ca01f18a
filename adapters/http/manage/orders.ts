import { formatInstant, ORDER_STATUSES } from '../../../core/index.ts';
import type { Order, OrderDetailView, OrderHistoryEntry, OrderId } from '../../../core/index.ts';
import { z } from 'zod';
import { presentOrderDetail } from '../operations/order-record.ts';
import { idParams } from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { id, instant } from './reply-fields.ts';

const orderSchema = z
  .object({
    order_id: id('The order'),
    user_id: id('Its account'),
    status: z.string().meta({ enum: [...ORDER_STATUSES] }),
    chain: z.string(),
    currency: z.string(),
    amount: z.string(),
    vs_price: z.string(),
    vs_currency: z.string(),
    obtained: z.string().nullable(),
    create_time: z.string().meta({ format: 'date-time' }),
    update_time: z.string().meta({ format: 'date-time' }),
  })
  .meta({ id: 'OperatedOrder' });

const historySchema = z
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

/** The record of the payment API, with times in RFC 3339. */
function orderRecord(view: OrderDetailView): z.input<typeof orderSchema> {
  const record = presentOrderDetail(view);
  const { order_id, user_id, status, chain, currency, amount, vs_price, vs_currency, obtained } = record;
  const [create_time, update_time] = [`${record.create_time}Z`, `${record.update_time}Z`];
  return {
    order_id,
    user_id,
    status,
    chain,
    currency,
    amount,
    vs_price,
    vs_currency,
    obtained,
    create_time,
    update_time,
  };
}

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

/** Decisions about orders that a person makes. */
export const orderOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'terminateOrder',
    method: 'POST',
    path: '/orders/{id}/terminate',
    summary: 'Cancel an order',
    description: 'While nothing was seen (decisions, section 4).',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: orderSchema,
    handler: async ({ actor, params: { id } }, { manage }) => orderRecord(await manage.orders.terminate(actor, id)),
  }),
  manageOperation({
    id: 'resolveOrder',
    method: 'POST',
    path: '/orders/{id}/resolve',
    summary: 'Accept an order as it is',
    description: 'OVERDUE or PARTIAL (decisions, section 4).',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: orderSchema,
    handler: async ({ actor, params: { id } }, { manage }) => orderRecord(await manage.orders.resolve(actor, id)),
  }),
  manageOperation({
    id: 'removeRefundAddress',
    method: 'DELETE',
    path: '/orders/{id}/refund-address',
    summary: 'Remove the address that was left for a refund',
    description: 'It is left once, by whoever has the address of the page; after this another one can be left.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: orderSchema,
    handler: async ({ actor, params: { id } }, { manage }) =>
      orderRecord(await manage.orders.removeRefundAddress(actor, id)),
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
