import type { Page } from '../../../core/index.ts';
import { present } from '../../../core/index.ts';
import { z } from 'zod';
import type { HttpSettings } from '../deps.ts';
import { code, fiatDecimals, flag, pageQuery, price, text } from '../fields.ts';
import { dataOperation, MERCHANT } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { orderDetailSchema, orderSchema, pageSchema, payInfoSchema, transactionSchema } from '../records.ts';
import { linkFields, linksOf } from './order-links.ts';
import type { LinkFields } from './order-links.ts';
import { detailExample, orderExample, payInfoExample, transactionExample } from './examples.ts';

function optionFields(settings: HttpSettings) {
  return {
    ...linkFields(settings),
    fixed_encrypt_price: flag('Prices stable coins at exactly 1 USD'),
    enable_post_callback: flag('Callbacks are POST requests with the order in the body'),
  };
}

function optionsOf(body: LinkFields & { fixed_encrypt_price: boolean; enable_post_callback: boolean }) {
  return { links: linksOf(body), fixedEncryptPrice: body.fixed_encrypt_price, enablePostCallback: body.enable_post_callback };
}

function payUrl(settings: HttpSettings): Operation {
  return dataOperation({
    id: 'createPayUrl',
    method: 'POST',
    path: '/api/order/pay-url',
    tag: 'Orders',
    summary: 'Get Payment URL',
    description: 'Creates an order with a hosted checkout link; the payer chooses the coin there (specification, endpoint 1).',
    auth: MERCHANT,
    idempotent: true,
    errors: ['UNSUPPORTED', 'AMOUNT_OUT_OF_RANGE', 'IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_RUNNING', 'NOT_READY'],
    body: z
      .object({ price: price('Fiat amount of the order'), currency: code('Fiat code'), ...optionFields(settings) })
      .refine(...fiatDecimals('price', 'currency')),
    data: z.object({ pay_url: z.string().meta({ description: 'Checkout link' }) }).meta({ id: 'PayUrl' }),
    examples: {
      body: { price: 25, currency: 'USD', succeed_url: 'https://shop.example/thanks' },
      data: { pay_url: payInfoExample.pay_url },
    },
    handler: async ({ principal, body, idempotency }, { createOrder, orderQueries }) => {
      const input = { vsCurrency: body.currency, vsPrice: body.price, ...optionsOf(body) };
      return { pay_url: orderQueries.payUrl(await createOrder.payUrl(present(principal, 'principal'), input, idempotency)) };
    },
  });
}

function payInfo(settings: HttpSettings): Operation {
  return dataOperation({
    id: 'createPayInfo',
    method: 'POST',
    path: '/api/order/pay-info',
    tag: 'Orders',
    summary: 'Get Payment Info',
    description: 'Creates an order in a given coin and answers with its deposit address and amount (specification, endpoint 2).',
    auth: MERCHANT,
    idempotent: true,
    errors: ['UNSUPPORTED', 'AMOUNT_OUT_OF_RANGE', 'IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_RUNNING', 'NODE_FAILED', 'NOT_READY'],
    body: z
      .object({
        chain: code('Chain code'),
        currency: code('Crypto currency code'),
        vs_currency: code('Fiat code'),
        vs_price: price('Fiat amount of the order'),
        ...optionFields(settings),
      })
      .refine(...fiatDecimals('vs_price', 'vs_currency')),
    data: payInfoSchema,
    numberFields: ['amount', 'vs_price'],
    examples: { body: { chain: 'ETH', currency: 'USDT-ERC20', vs_currency: 'USD', vs_price: 25 }, data: payInfoExample },
    handler: async ({ principal, body, idempotency }, { createOrder, orderQueries }) => {
      const { chain, currency } = body;
      const input = { chain, currency, vsCurrency: body.vs_currency, vsPrice: body.vs_price, ...optionsOf(body) };
      return orderQueries.payInfo(await createOrder.payInfo(present(principal, 'principal'), input, idempotency));
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
    summary: 'Get Orders List',
    description: "The account's orders, newest first (specification, endpoint 3).",
    auth: MERCHANT,
    query: pageQuery(pageMax),
    data: pageSchema('OrderPage', orderSchema),
    examples: { data: { page: 1, size: 10, total: 1, max_page: 1, data: [orderExample] } },
    handler: async ({ principal, query }, { orderQueries }) =>
      pageRecord(await orderQueries.list(present(principal, 'principal').accountId, query)),
  });
}

const orderDetail: Operation = dataOperation({
  id: 'getOrderDetail',
  method: 'GET',
  path: '/api/v2/order/detail/{order_id}',
  tag: 'Orders',
  summary: 'Get Orders Details',
  description: "One of the account's orders; another account's order is answered as an unknown one (specification, endpoint 4).",
  auth: MERCHANT,
  errors: ['NOT_FOUND'],
  params: z.object({ order_id: text(64, 'The order') }),
  data: orderDetailSchema,
  examples: { data: detailExample },
  handler: ({ principal, params }, { orderQueries }) =>
    orderQueries.detail(present(principal, 'principal').accountId, params.order_id),
});

function listTransactions({ pageMax }: HttpSettings): Operation {
  return dataOperation({
    id: 'listTransactions',
    method: 'GET',
    path: '/api/v2/tx',
    tag: 'Transactions',
    summary: 'Get Transactions List',
    description: "The account's transactions, newest first (specification, endpoint 7).",
    auth: MERCHANT,
    query: pageQuery(pageMax),
    data: pageSchema('TransactionPage', transactionSchema),
    examples: { data: { page: 1, size: 10, total: 1, max_page: 1, data: [transactionExample] } },
    handler: async ({ principal, query }, { orderQueries }) =>
      pageRecord(await orderQueries.transactions(present(principal, 'principal').accountId, query)),
  });
}

function pageRecord<T>({ page, size, total, maxPage, items }: Page<T>) {
  return { page, size, total, max_page: maxPage, data: items };
}

/** Orders and transactions: endpoints 1 to 4 and 7. */
export function orderOperations(settings: HttpSettings): readonly Operation[] {
  return [payUrl(settings), payInfo(settings), listOrders(settings), orderDetail, listTransactions(settings)];
}
