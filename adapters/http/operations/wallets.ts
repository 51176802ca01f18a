import { formatAmount, formatUnits, present } from '../../../core/index.ts';
import type { Amount, WalletBalance } from '../../../core/index.ts';
import { z } from 'zod';
import { roundedDown } from '../exact-json.ts';
import { code, optionalCode, optionalText, price } from '../fields.ts';
import { dataOperation, merchant } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { decimal, decimalNumber } from '../record-fields.ts';
import {
  CODE_DIGITS,
  MAX_INVOICE,
  presentWithdrawal,
  withdrawalExample,
  withdrawalSchema,
} from './withdrawal-record.ts';

/** A row of the wallet list (decisions, section 5). */
export const walletSchema = z
  .object({
    chain: z.string(),
    currency: z.string(),
    available: decimal('To be spent now'),
    pending: decimal('Credited, but not spendable yet'),
    locked: decimal('Held by withdrawals and refunds that are under way'),
    total: decimal('All three'),
  })
  .meta({ id: 'Wallet' });

/** A row of the wallet list. */
export function presentWallet({ asset, available, pending, reserved }: WalletBalance): z.input<typeof walletSchema> {
  const { chain, currency, decimals } = asset;
  const text = (units: bigint): string => formatUnits(units, decimals);
  return {
    chain,
    currency,
    available: text(available),
    pending: text(pending),
    locked: text(reserved),
    total: text(available + pending + reserved),
  };
}

/** A row of the self-custody balances (specification, "Self-custody balance entry"). */
export const selfCustodySchema = z
  .object({
    chain: z.string(),
    currency: z.string(),
    amount: decimalNumber("What is on chain at the account's own addresses"),
  })
  .meta({ id: 'SelfCustodyBalance' });

function presentSelfCustody(balance: Amount): z.input<typeof selfCustodySchema> {
  const { chain, currency } = balance.asset;
  return { chain, currency, amount: roundedDown(formatAmount(balance)) };
}

export const withdrawBody = z.object({
  amount: price('What leaves the balance'),
  chain: code('Chain code'),
  currency: code('Crypto currency code'),
  ln_invoices: optionalText(MAX_INVOICE, 'A Lightning invoice; required on BLN'),
  verify_code: optionalCode(
    CODE_DIGITS,
    'A code of the second factor; required on BLN, and where the account demands it',
  ),
});

export const walletExample: z.output<typeof walletSchema> = {
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
  summary: 'Get Wallets List',
  description:
    "The account's balances in each enabled currency, and in any other in which it has one (decisions, section 5).",
  auth: merchant('read'),
  data: z.array(walletSchema).readonly(),
  examples: { data: [walletExample] },
  handler: async ({ principal }, { walletQueries }) =>
    (await walletQueries.list(present(principal, 'principal').accountId)).map(presentWallet),
});

const selfCustody = dataOperation({
  ...shared,
  id: 'listSelfCustodyBalances',
  method: 'GET',
  path: '/api/contract/balance',
  summary: 'Get Self-custody Balances',
  description:
    'Balances on chain, read from the nodes, at the addresses and extended public keys that the account registered in the management API (specification, endpoint 10).',
  auth: merchant('read'),
  errors: ['NODE_FAILED'],
  data: z.array(selfCustodySchema).readonly(),
  examples: { data: [selfCustodyExample] },
  handler: async ({ principal }, { walletQueries }) =>
    (await walletQueries.selfCustody(present(principal, 'principal').accountId)).map(presentSelfCustody),
});

const withdraw = dataOperation({
  ...shared,
  id: 'withdraw',
  method: 'POST',
  path: '/api/withdraw',
  summary: 'Withdraw',
  description:
    "Pays from the account's balance to the address that is registered for the chain in the management API; on BLN to the invoice (specification, endpoint 11). The network's fee comes out of the amount.",
  auth: merchant('move'),
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
  body: withdrawBody,
  data: withdrawalSchema,
  examples: { body: { amount: 100.5, chain: 'ETH', currency: 'USDT-ERC20' }, data: withdrawalExample },
  handler: async ({ principal, body, idempotency }, { requestWithdrawal }) => {
    const { chain, currency, amount, ln_invoices: lnInvoices, verify_code: verifyCode } = body;
    return presentWithdrawal(
      await requestWithdrawal.run(
        present(principal, 'principal'),
        { chain, currency, amount, lnInvoices, verifyCode },
        idempotency,
      ),
    );
  },
});

/** Wallets and withdrawals: endpoints 10 and 11, and Get Wallets List. */
export const walletOperations: readonly Operation[] = [listWallets, selfCustody, withdraw];
