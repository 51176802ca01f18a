import { formatTimestamp, formatUnits, LIGHTNING_ASSET, present } from '../../../core/index.ts';
import type { LightningOrderView } from '../../../core/index.ts';
import { z } from 'zod';
import type { HttpSettings } from '../deps.ts';
import { code, fiatDecimals, optionalAmount, optionalCode, price, text } from '../fields.ts';
import { dataOperation, merchant } from '../operation.ts';
import type { Operation } from '../operation.ts';
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

/** A Lightning order (specification, "Lightning order result"). */
export const lightningOrderSchema = z
  .object({
    order_id: id('The order'),
    status: orderStatus,
    currency: z.string(),
    amount: decimal('What is due, in bitcoin with up to 11 decimals'),
    create_time: timestamp('Creation time'),
    payment_request: z.string().meta({ description: 'The BOLT11 invoice to be paid' }),
    payment_addr: z.string().meta({ description: "The invoice's payment secret, in hexadecimal digits" }),
    pay_url: z.string().meta({ description: 'Checkout link' }),
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

/** The body of an order on Lightning. */
export function lightningOrderBody(settings: HttpSettings) {
  return z
    .object({ price: price('Fiat amount of the order'), currency: code('Fiat code'), ...commonFields(settings) })
    .refine(...fiatDecimals('price', 'currency'));
}

export const lightningWithdrawBody = z.object({
  ln_invoices: text(MAX_INVOICE, 'The BOLT11 invoice to pay'),
  amount: optionalAmount('In bitcoin, up to 11 decimals; only for an invoice without an amount, or equal to it'),
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
    summary: 'Create Lightning Order',
    description:
      'Creates an order that is paid over Lightning and answers with its payment request, which expires with the order. Callbacks are GET requests (specification, endpoint 12).',
    auth: merchant('create', true),
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
        await lightningService.orderView(await orders.lightning(present(principal, 'principal'), input, idempotency)),
      );
    },
  });
}

const withdraw = dataOperation({
  ...shared,
  id: 'withdrawLightning',
  method: 'POST',
  path: '/api/bln/withdraw',
  summary: 'Withdraw over Lightning',
  description:
    'Pays an invoice from the balance in BTC-LN. The amount and the most that routing may cost are reserved; what routing did not take comes back (specification, endpoint 13).',
  auth: merchant('move', true),
  idempotent: true,
  errors: [
    'UNSUPPORTED',
    'AMOUNT_OUT_OF_RANGE',
    'VERIFICATION_REQUIRED',
    'VERIFY_CODE_INVALID',
    'INVOICE_INVALID',
    'STATE_CONFLICT',
    'IDEMPOTENCY_MISMATCH',
    'IDEMPOTENCY_RUNNING',
    'INSUFFICIENT_BALANCE',
    'NODE_FAILED',
  ],
  body: lightningWithdrawBody,
  data: lightningWithdrawalSchema,
  examples: { body: { ln_invoices: lightningOrderExample.payment_request }, data: lightningWithdrawalExample },
  handler: async ({ principal, body, idempotency }, { lightningService }) => {
    const { ln_invoices: lnInvoices, amount, verify_code: verifyCode } = body;
    return presentLightningWithdrawal(
      await lightningService.withdraw(present(principal, 'principal'), { lnInvoices, amount, verifyCode }, idempotency),
    );
  },
});

const balance = dataOperation({
  ...shared,
  id: 'getLightningBalance',
  method: 'GET',
  path: '/api/bln/balance',
  summary: 'Get BLN Balance',
  description: `The account's balance in ${LIGHTNING_ASSET.currency} (decisions, section 5).`,
  auth: merchant('read', true),
  data: walletSchema,
  examples: { data: lightningBalanceExample },
  handler: async ({ principal }, { walletQueries }) =>
    presentWallet(await walletQueries.lightning(present(principal, 'principal').accountId)),
});

/** Lightning: endpoints 12 and 13, and Get BLN Balance. */
export function lightningOperations(settings: HttpSettings): readonly Operation[] {
  return [createOrder(settings), withdraw, balance];
}
