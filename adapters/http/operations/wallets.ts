import { present } from '../../../core/index.ts';
import { z } from 'zod';
import { roundedDown } from '../exact-json.ts';
import { code, optionalCode, optionalText, price } from '../fields.ts';
import { dataOperation, MERCHANT, MERCHANT_ONCE } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { selfCustodySchema, walletSchema, withdrawalSchema } from '../records.ts';
import { CODE_DIGITS, MAX_INVOICE } from './lightning.ts';
import { selfCustodyExample, walletExample, withdrawalExample } from './examples.ts';

const shared = { tag: 'Wallets' } as const;

const listWallets = dataOperation({
  ...shared,
  id: 'listWallets',
  method: 'GET',
  path: '/api/wallets',
  summary: 'Get Wallets List',
  description: "The account's balances in each enabled currency, and in any other in which it has one (decisions, section 5).",
  auth: MERCHANT,
  data: z.array(walletSchema).readonly(),
  examples: { data: [walletExample] },
  handler: ({ principal }, { walletQueries }) => walletQueries.list(present(principal, 'principal').accountId),
});

const selfCustody = dataOperation({
  ...shared,
  id: 'listSelfCustodyBalances',
  method: 'GET',
  path: '/api/contract/balance',
  summary: 'Get Self-custody Balances',
  description: 'What lies on chain, read from the nodes, at the addresses and extended public keys that the account registered in the management API (specification, endpoint 10).',
  auth: MERCHANT,
  errors: ['NODE_FAILED'],
  data: z.array(selfCustodySchema).readonly(),
  numberFields: ['amount'],
  examples: { data: [selfCustodyExample] },
  handler: async ({ principal }, { walletQueries }) => {
    const records = await walletQueries.selfCustody(present(principal, 'principal').accountId);
    return records.map((record) => ({ ...record, amount: roundedDown(record.amount) }));
  },
});

const withdraw = dataOperation({
  ...shared,
  id: 'withdraw',
  method: 'POST',
  path: '/api/withdraw',
  summary: 'Withdraw',
  description: "Pays from the account's balance to the address that is registered for the chain in the management API; on BLN to the invoice (specification, endpoint 11). The network's fee comes out of the amount.",
  auth: MERCHANT_ONCE,
  idempotent: true,
  errors: [
    'UNSUPPORTED',
    'AMOUNT_OUT_OF_RANGE',
    'VERIFICATION_REQUIRED',
    'NO_WITHDRAWAL_ADDRESS',
    'VERIFY_CODE_INVALID',
    'INVOICE_INVALID',
    'STATE_CONFLICT',
    'IDEMPOTENCY_MISMATCH',
    'IDEMPOTENCY_RUNNING',
    'INSUFFICIENT_BALANCE',
    'NODE_FAILED',
    'NOT_READY',
  ],
  body: z.object({
    amount: price('What leaves the balance'),
    chain: code('Chain code'),
    currency: code('Crypto currency code'),
    ln_invoices: optionalText(MAX_INVOICE, 'A Lightning invoice; required on BLN'),
    verify_code: optionalCode(CODE_DIGITS, 'A code of the second factor; required on BLN, and where the account demands it'),
  }),
  data: withdrawalSchema,
  examples: { body: { amount: 100.5, chain: 'ETH', currency: 'USDT-ERC20' }, data: withdrawalExample },
  handler: ({ principal, body, idempotency }, { requestWithdrawal }) => {
    const { chain, currency, amount, ln_invoices: invoices, verify_code: code } = body;
    const input = { chain, currency, amount, lnInvoices: invoices.text, verifyCode: code.text };
    return requestWithdrawal.run(present(principal, 'principal'), input, idempotency);
  },
});

/** Wallets and withdrawals: endpoints 10 and 11, and Get Wallets List. */
export const walletOperations: readonly Operation[] = [listWallets, selfCustody, withdraw];
