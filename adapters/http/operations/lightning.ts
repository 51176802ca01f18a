import { LIGHTNING_ASSET, present, readDecimal } from '../../../core/index.ts';
import { z } from 'zod';
import type { HttpSettings } from '../deps.ts';
import { code, fiatDecimals, optionalAmount, optionalCode, price, text } from '../fields.ts';
import { dataOperation, MERCHANT } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { lightningOrderSchema, lightningWithdrawalSchema, walletSchema } from '../records.ts';
import { lightningOrderExample, lightningWithdrawalExample, lightningBalanceExample } from './examples.ts';
import { linkFields, linksOf } from './order-links.ts';

/** Longer than any invoice that a Lightning node makes. */
export const MAX_INVOICE = 8192;
export const CODE_DIGITS = 6;

const READ = { ...MERCHANT, xToken: true } as const;
const shared = { tag: 'Lightning' } as const;

function createOrder(settings: HttpSettings): Operation {
  return dataOperation({
    ...shared,
    id: 'createLightningOrder',
    method: 'POST',
    path: '/api/bln/order',
    summary: 'Create Lightning Order',
    description: 'Creates an order that is paid over Lightning and answers with its payment request, which expires with the order. Callbacks are GET requests (specification, endpoint 12).',
    auth: READ,
    idempotent: true,
    errors: ['UNSUPPORTED', 'AMOUNT_OUT_OF_RANGE', 'IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_RUNNING', 'NODE_FAILED', 'NOT_READY'],
    body: z.object({ price: price('Fiat amount of the order'), currency: code('Fiat code'), ...linkFields(settings) }).refine(...fiatDecimals('price', 'currency')),
    data: lightningOrderSchema,
    examples: { body: { price: 25, currency: 'USD' }, data: lightningOrderExample },
    handler: async ({ principal, body, idempotency }, { createOrder: orders, lightningDesk }) => {
      const input = { vsCurrency: body.currency, vsPrice: body.price, links: linksOf(body) };
      return lightningDesk.orderRecord(await orders.lightning(present(principal, 'principal'), input, idempotency));
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
  auth: { ...READ, once: true },
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
  body: z.object({
    ln_invoices: text(MAX_INVOICE, 'The BOLT11 invoice to pay'),
    amount: optionalAmount('In bitcoin, up to 11 decimals; only for an invoice without an amount, or equal to it'),
    verify_code: optionalCode(CODE_DIGITS, 'A code of the second factor, where the account demands it for withdrawals'),
  }),
  data: lightningWithdrawalSchema,
  examples: { body: { ln_invoices: lightningOrderExample.payment_request }, data: lightningWithdrawalExample },
  handler: async ({ principal, body, idempotency }, { lightningDesk }) => {
    const input = { lnInvoices: body.ln_invoices, amount: body.amount.text === null ? null : readDecimal(body.amount.text), verifyCode: body.verify_code.text, codeRequired: false };
    const { user_id, tx_id, type, status, chain, currency, fee, obtained: amount, balance, update_time } = await lightningDesk.withdraw(present(principal, 'principal'), input, idempotency);
    return { user_id, tx_id, type, status, chain, currency, amount, fee, balance, update_time };
  },
});

const balance = dataOperation({
  ...shared,
  id: 'getLightningBalance',
  method: 'GET',
  path: '/api/bln/balance',
  summary: 'Get BLN Balance',
  description: `The account's balance in ${LIGHTNING_ASSET.currency} (decisions, section 5).`,
  auth: READ,
  data: walletSchema,
  examples: { data: lightningBalanceExample },
  handler: ({ principal }, { walletQueries }) => walletQueries.lightning(present(principal, 'principal').accountId),
});

/** Lightning: endpoints 12 and 13, and Get BLN Balance. */
export function lightningOperations(settings: HttpSettings): readonly Operation[] {
  return [createOrder(settings), withdraw, balance];
}
