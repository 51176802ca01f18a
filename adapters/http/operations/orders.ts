import { formatTimestamp, formatUnits } from '../../../core/index.ts';
import type { PayInfoView } from '../../../core/index.ts';
import { z } from 'zod';
import type { HttpSettings } from '../deps.ts';
import { code, fiatDecimals, pageQuery, price, text } from '../fields.ts';
import { dataOperation, merchant } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { decimalNumber, id, orderStatus, pageSchema, presentPage, timestamp } from '../record-fields.ts';
import {
  detailExample,
  formatPrice,
  optionFields,
  optionsOf,
  orderDetailSchema,
  orderExample,
  orderSchema,
  presentOrder,
  presentOrderDetail,
} from './order-record.ts';

/** The record of a new order in a given coin. */
export const payInfoSchema = z
  .object({
    order_id: id('ID of the order'),
    status: orderStatus,
    amount: decimalNumber('Amount due in the coin, with at most 8 decimals'),
    create_time: timestamp('Creation'),
    vs_currency: z.string(),
    vs_price: decimalNumber('Price in the fiat currency'),
    address: z.string().meta({ description: 'Deposit address' }),
    contract_addr: z.string().meta({ description: 'Contract address of the token; empty for a native coin' }),
    pay_url: z.string().meta({ description: 'URL of the hosted checkout page' }),
  })
  .meta({ id: 'PayInfo' });

/** Writes the record of a new order in a given coin. */
export function presentPayInfo({
  order,
  payment,
  asset,
  contract,
  payUrl,
}: PayInfoView): z.input<typeof payInfoSchema> {
  return {
    order_id: order.id,
    status: order.status,
    amount: formatUnits(payment.units, asset.decimals),
    create_time: formatTimestamp(order.createdAt),
    vs_currency: order.vsCurrency,
    vs_price: formatPrice(order),
    address: payment.address,
    contract_addr: contract,
    pay_url: payUrl,
  };
}

export const payInfoExample = {
  order_id: orderExample.order_id,
  status: 'PENDING',
  amount: 25,
  create_time: orderExample.create_time,
  vs_currency: 'USD',
  vs_price: 25,
  address: detailExample.to_addr,
  contract_addr: detailExample.contract_id,
  pay_url: 'https://pay.example.com/checkout/8f14e45fceea167a5a36dedd4bea2543',
} as const satisfies z.output<typeof payInfoSchema>;

export const payUrlSchema = z
  .object({ pay_url: z.string().meta({ description: 'URL of the hosted checkout page' }) })
  .meta({ id: 'PayUrl' });

/** The body of a hosted order, for which the payer chooses the coin. */
export function payUrlBody(settings: HttpSettings) {
  return z
    .object({
      price: price('Price of the order in the fiat currency'),
      currency: code('Fiat currency code, such as EUR'),
      ...optionFields(settings),
    })
    .refine(...fiatDecimals('price', 'currency'));
}

/** The body of an order in a given coin. */
export function payInfoBody(settings: HttpSettings) {
  return z
    .object({
      chain: code('Chain code, such as ETH, BTC or TRX'),
      currency: code('Currency code, such as ETH or USDT-ERC20'),
      vs_currency: code('Fiat currency code, such as EUR'),
      vs_price: price('Price of the order in the fiat currency'),
      ...optionFields(settings),
    })
    .refine(...fiatDecimals('vs_price', 'vs_currency'));
}

function payUrl(settings: HttpSettings): Operation {
  return dataOperation({
    id: 'createPayUrl',
    method: 'POST',
    path: '/api/order/pay-url',
    tag: 'Orders',
    summary: 'Create an order with a checkout page',
    description: 'Creates an order and returns the URL of its hosted checkout page, where the payer chooses the coin.',
    auth: merchant('create'),
    idempotent: true,
    errors: [
      'UNSUPPORTED',
      'AMOUNT_OUT_OF_RANGE',
      'STATE_CONFLICT',
      'IDEMPOTENCY_MISMATCH',
      'IDEMPOTENCY_RUNNING',
      'NOT_READY',
    ],
    body: payUrlBody(settings),
    data: payUrlSchema,
    examples: {
      body: { price: 25, currency: 'USD', succeed_url: 'https://shop.example/thanks' },
      data: { pay_url: payInfoExample.pay_url },
    },
    handler: async ({ principal, body, idempotency }, { createOrder, orderQueries }) => {
      const input = { vsCurrency: body.currency, vsPrice: body.price, ...optionsOf(body) };
      return {
        pay_url: orderQueries.payUrl(await createOrder.hosted(principal, input, idempotency)),
      };
    },
  });
}

function payInfo(settings: HttpSettings): Operation {
  return dataOperation({
    id: 'createPayInfo',
    method: 'POST',
    path: '/api/order/pay-info',
    tag: 'Orders',
    summary: 'Create an order in a coin',
    description: 'Creates an order in a given coin and returns its deposit address and the amount due.',
    auth: merchant('create'),
    idempotent: true,
    errors: [
      'UNSUPPORTED',
      'AMOUNT_OUT_OF_RANGE',
      'STATE_CONFLICT',
      'IDEMPOTENCY_MISMATCH',
      'IDEMPOTENCY_RUNNING',
      'NODE_FAILED',
      'NOT_READY',
    ],
    body: payInfoBody(settings),
    data: payInfoSchema,
    examples: {
      body: { chain: 'ETH', currency: 'USDT-ERC20', vs_currency: 'USD', vs_price: 25 },
      data: payInfoExample,
    },
    handler: async ({ principal, body, idempotency }, { createOrder, orderQueries }) => {
      const { chain, currency } = body;
      const input = { chain, currency, vsCurrency: body.vs_currency, vsPrice: body.vs_price, ...optionsOf(body) };
      return presentPayInfo(orderQueries.payInfo(await createOrder.inCoin(principal, input, idempotency)));
    },
  });
}

function listOrders({ pageMax }: HttpSettings): Operation {
  return dataOperation({
    id: 'listOrders',
    method: 'GET',
    path: '/api/v2/order/',
    aliases: ['/api/v2/order'],
    tag: 'Orders',
    summary: 'List orders',
    description: "Returns the account's orders, newest first.",
    auth: merchant('read'),
    query: pageQuery(pageMax),
    data: pageSchema('OrderPage', orderSchema),
    examples: { data: { page: 1, size: 10, total: 1, max_page: 1, data: [orderExample] } },
    handler: async ({ principal, query }, { orderQueries }) =>
      presentPage(await orderQueries.list(principal.accountId, query), presentOrder),
  });
}

const orderDetail: Operation = dataOperation({
  id: 'getOrderDetail',
  method: 'GET',
  path: '/api/v2/order/detail/{order_id}',
  tag: 'Orders',
  summary: 'Retrieve an order',
  description: 'Returns an order of the account. An order of another account is reported as not found.',
  auth: merchant('read'),
  errors: ['NOT_FOUND'],
  params: z.object({ order_id: text(64, 'ID of the order') }),
  data: orderDetailSchema,
  examples: { data: detailExample },
  handler: async ({ principal, params }, { orderQueries }) =>
    presentOrderDetail(await orderQueries.detail(principal.accountId, params.order_id)),
});

/** The operations of orders. */
export function orderOperations(settings: HttpSettings): readonly Operation[] {
  return [payUrl(settings), payInfo(settings), listOrders(settings), orderDetail];
}
