import { formatAmount, formatUnits } from '../../../core/index.ts';
import type { Amount, WalletBalance } from '../../../core/index.ts';
import { z } from 'zod';
import { roundedDown } from '../exact-json.ts';
import { code, optionalCode, optionalText, price } from '../fields.ts';
import { dataOperation, merchant } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { WITHDRAWAL_ERRORS } from '../payout-errors.ts';
import { decimal, decimalNumber } from '../record-fields.ts';
import {
  CODE_DIGITS,
  MAX_INVOICE,
  presentWithdrawal,
  withdrawalExample,
  withdrawalSchema,
} from './withdrawal-record.ts';

/** A row of the wallet list. */
export const walletSchema = z
  .object({
    chain: z.string(),
    currency: z.string(),
    available: decimal('Amount that can be spent now'),
    pending: decimal('Amount credited but not yet spendable'),
    locked: decimal(
      "Amount reserved for withdrawals, refunds and payouts in progress, pull payments and payout batches, and coins that their token's contract refuses to move",
    ),
    total: decimal('Sum of available, pending and locked'),
  })
  .meta({ id: 'Wallet' });

/** Writes a row of the wallet list. */
export function presentWallet({
  asset,
  available,
  pending,
  claims,
  reserved,
  frozen,
}: WalletBalance): z.input<typeof walletSchema> {
  const { chain, currency, decimals } = asset;
  const text = (units: bigint): string => formatUnits(units, decimals);
  return {
    chain,
    currency,
    available: text(available),
    pending: text(pending),
    locked: text(claims + reserved + frozen),
    total: text(available + pending + claims + reserved + frozen),
  };
}

/** A row of the self-custody balances. */
export const selfCustodySchema = z
  .object({
    chain: z.string(),
    currency: z.string(),
    amount: decimalNumber("Amount on chain at the account's own addresses"),
  })
  .meta({ id: 'SelfCustodyBalance' });

function presentSelfCustody(balance: Amount): z.input<typeof selfCustodySchema> {
  const { chain, currency } = balance.asset;
  return { chain, currency, amount: roundedDown(formatAmount(balance)) };
}

export const withdrawBody = z.object({
  amount: price('Amount to take from the balance'),
  chain: code('Chain code, such as ETH, BTC or TRX'),
  currency: code('Currency code, such as ETH or USDT-ERC20'),
  ln_invoices: optionalText(MAX_INVOICE, 'Lightning invoice to pay; required on BLN (Lightning)'),
  verify_code: optionalCode(
    CODE_DIGITS,
    'Code of the second factor; required on BLN (Lightning), and if the account demands one for withdrawals',
  ),
});

const walletExample: z.output<typeof walletSchema> = {
  chain: 'ETH',
  currency: 'USDT-ERC20',
  available: '899.5',
  pending: '25',
  locked: '100.5',
  total: '1025',
};
const selfCustodyExample: z.output<typeof selfCustodySchema> = {
  chain: 'ETH',
  currency: 'SHIB-ERC20',
  amount: 1250000.5,
};

const shared = { tag: 'Wallets' } as const;

const listWallets = dataOperation({
  ...shared,
  id: 'listWallets',
  method: 'GET',
  path: '/api/wallets',
  summary: 'List balances',
  description:
    "Returns the account's balance in each enabled currency, and in any other currency in which it has a balance.",
  auth: merchant('read'),
  data: z.array(walletSchema).readonly(),
  examples: { data: [walletExample] },
  handler: async ({ principal }, { walletQueries }) =>
    (await walletQueries.list(principal.accountId)).map(presentWallet),
});

const selfCustody = dataOperation({
  ...shared,
  id: 'listSelfCustodyBalances',
  method: 'GET',
  path: '/api/contract/balance',
  summary: 'List self-custody balances',
  description:
    'Returns the on-chain balances, read from the nodes, of the addresses and extended public keys that the account registered in the management API.',
  auth: merchant('read'),
  errors: ['NODE_FAILED'],
  data: z.array(selfCustodySchema).readonly(),
  examples: { data: [selfCustodyExample] },
  handler: async ({ principal }, { walletQueries }) =>
    (await walletQueries.selfCustody(principal.accountId)).map(presentSelfCustody),
});

const withdraw = dataOperation({
  ...shared,
  id: 'withdraw',
  method: 'POST',
  path: '/api/withdraw',
  summary: 'Create a withdrawal',
  description:
    "Pays from the account's balance to the withdrawal address that is registered for the chain in the management API, or, on BLN (Lightning), to the invoice. The network fee is deducted from the amount.",
  auth: merchant('move'),
  idempotent: true,
  errors: WITHDRAWAL_ERRORS,
  body: withdrawBody,
  data: withdrawalSchema,
  examples: { body: { amount: 100.5, chain: 'ETH', currency: 'USDT-ERC20' }, data: withdrawalExample },
  handler: async ({ principal, body, idempotency }, { requestWithdrawal }) => {
    const { chain, currency, amount, ln_invoices: lnInvoices, verify_code: verifyCode } = body;
    return presentWithdrawal(
      await requestWithdrawal.run(principal, { chain, currency, amount, lnInvoices, verifyCode }, idempotency),
    );
  },
});

/** The operations of balances and withdrawals. */
export const walletOperations: readonly Operation[] = [listWallets, selfCustody, withdraw];
