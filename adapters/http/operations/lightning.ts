import { formatTimestamp, formatUnits, LIGHTNING_ASSET } from '../../../core/index.ts';
import type { LightningOrderView } from '../../../core/index.ts';
import { z } from 'zod';
import type { HttpSettings } from '../deps.ts';
import { code, fiatDecimals, optionalAmount, optionalCode, price, text } from '../fields.ts';
import { dataOperation, merchant } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { LIGHTNING_PAYMENT_ERRORS } from '../payout-errors.ts';
import { decimal, id, orderStatus, timestamp } from '../record-fields.ts';
import { commonFields, commonOptionsOf, orderExample } from './order-record.ts';
import { payInfoExample } from './orders.ts';
import { presentWallet, walletSchema } from './wallets.ts';
import {
  CODE_DIGITS,
  lightningWithdrawalExample,
  lightningWithdrawalSchema,
  MAX_INVOICE,
  presentLightningWithdrawal,
} from './withdrawal-record.ts';

/** The headers for a key on the Lightning operations. */
const LIGHTNING_PLACES = ['api-key', 'x-token'] as const;

/** The record of a Lightning order. */
export const lightningOrderSchema = z
  .object({
    order_id: id('ID of the order'),
    status: orderStatus,
    currency: z.string(),
    amount: decimal('Amount due in bitcoin, with up to 11 decimals'),
    create_time: timestamp('Creation time'),
    payment_request: z.string().meta({ description: 'BOLT11 invoice to pay' }),
    payment_addr: z.string().meta({ description: 'Payment secret of the invoice, hexadecimal' }),
    pay_url: z.string().meta({ description: 'URL of the hosted checkout page' }),
  })
  .meta({ id: 'LightningOrder' });

function presentLightningOrder({
  order,
  payment,
  paymentAddr,
  payUrl,
}: LightningOrderView): z.input<typeof lightningOrderSchema> {
  return {
    order_id: order.id,
    status: order.status,
    currency: LIGHTNING_ASSET.currency,
    amount: formatUnits(payment.units, LIGHTNING_ASSET.decimals),
    create_time: formatTimestamp(order.createdAt),
    payment_request: payment.address,
    payment_addr: paymentAddr,
    pay_url: payUrl,
  };
}

/** The body of a Lightning order. */
export function lightningOrderBody(settings: HttpSettings) {
  return z
    .object({
      price: price('Price of the order in the fiat currency'),
      currency: code('Fiat currency code, such as EUR'),
      ...commonFields(settings),
    })
    .refine(...fiatDecimals('price', 'currency'));
}

export const lightningWithdrawBody = z.object({
  ln_invoices: text(MAX_INVOICE, 'The BOLT11 invoice to pay'),
  amount: optionalAmount(
    'Amount in bitcoin, with up to 11 decimals. Required for an invoice without an amount; otherwise it must equal the amount of the invoice.',
  ),
  verify_code: optionalCode(CODE_DIGITS, 'A code of the second factor, where the account demands it for withdrawals'),
});

const lightningOrderExample: z.output<typeof lightningOrderSchema> = {
  order_id: orderExample.order_id,
  status: 'PENDING',
  currency: 'BTC-LN',
  amount: '0.0025',
  create_time: orderExample.create_time,
  payment_request:
    'lnbc2500u1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpuaztrnwngzn3kdzw5hydlzf03qdgm2hdq27cqv3agm2awhz5se903vruatfhq77w3ls4evs3ch9zw97j25emudupq63nyw24cg27h2rspfj9srp',
  payment_addr: '',
  pay_url: payInfoExample.pay_url,
};
const lightningBalanceExample: z.output<typeof walletSchema> = {
  chain: 'BLN',
  currency: 'BTC-LN',
  available: '0.00749998999',
  pending: '0',
  locked: '0',
  total: '0.00749998999',
};

const shared = { tag: 'Lightning' } as const;

function createOrder(settings: HttpSettings): Operation {
  return dataOperation({
    ...shared,
    id: 'createLightningOrder',
    method: 'POST',
    path: '/api/bln/order',
    summary: 'Create a Lightning order',
    description:
      'Creates an order that is paid over Lightning and returns its invoice, which expires with the order. Callbacks are sent as GET requests.',
    auth: merchant('create', LIGHTNING_PLACES),
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
    body: lightningOrderBody(settings),
    data: lightningOrderSchema,
    examples: { body: { price: 25, currency: 'USD' }, data: lightningOrderExample },
    handler: async ({ principal, body, idempotency }, { createOrder: orders, lightningService }) => {
      const input = { vsCurrency: body.currency, vsPrice: body.price, ...commonOptionsOf(body) };
      return presentLightningOrder(
        await lightningService.orderView(await orders.lightning(principal, input, idempotency)),
      );
    },
  });
}

const withdraw = dataOperation({
  ...shared,
  id: 'withdrawLightning',
  method: 'POST',
  path: '/api/bln/withdraw',
  summary: 'Pay a Lightning invoice',
  description:
    'Pays an invoice from the BTC-LN balance. The amount and the maximum routing fee are reserved; the unused part of the fee is returned to the balance.',
  auth: merchant('move', LIGHTNING_PLACES),
  idempotent: true,
  errors: LIGHTNING_PAYMENT_ERRORS,
  body: lightningWithdrawBody,
  data: lightningWithdrawalSchema,
  examples: { body: { ln_invoices: lightningOrderExample.payment_request }, data: lightningWithdrawalExample },
  handler: async ({ principal, body, idempotency }, { lightningService }) => {
    const { ln_invoices: lnInvoices, amount, verify_code: verifyCode } = body;
    return presentLightningWithdrawal(
      await lightningService.withdraw(principal, { lnInvoices, amount, verifyCode }, idempotency),
    );
  },
});

const balance = dataOperation({
  ...shared,
  id: 'getLightningBalance',
  method: 'GET',
  path: '/api/bln/balance',
  summary: 'Retrieve the Lightning balance',
  description: `Returns the account's balance in ${LIGHTNING_ASSET.currency}.`,
  auth: merchant('read', LIGHTNING_PLACES),
  data: walletSchema,
  examples: { data: lightningBalanceExample },
  handler: async ({ principal }, { walletQueries }) =>
    presentWallet(await walletQueries.lightning(principal.accountId)),
});

/** The operations of Lightning. */
export function lightningOperations(settings: HttpSettings): readonly Operation[] {
  return [createOrder(settings), withdraw, balance];
}
