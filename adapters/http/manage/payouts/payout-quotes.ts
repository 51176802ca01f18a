import { formatUnits } from '../../../../core/index.ts';
import type { OrderId, WithdrawalQuote } from '../../../../core/index.ts';
import { z } from 'zod';
import { code, decimalText } from '../../fields.ts';
import { REFUND_ERRORS, WITHDRAWAL_ERRORS } from '../../payout-errors.ts';
import { inputOf, recordId, word } from '../fields.ts';
import { manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { amount } from '../reply-fields.ts';
import { payoutExample } from './payouts.ts';
import { refundParts } from './refunds.ts';

export const quoteSchema = z
  .object({
    chain: z.string(),
    coin: z.string(),
    amount: amount('Amount that would be taken from the balance'),
    fee: amount('Estimated network fee in the same coin'),
    received: amount('Amount that the recipient would receive'),
    to_address: z.string().meta({ description: 'Address that would be paid' }),
  })
  .meta({ id: 'PayoutQuote' });

const quoteRecord = ({ asset, units, feeUnits, toAddress }: WithdrawalQuote): z.input<typeof quoteSchema> => ({
  chain: asset.chain,
  coin: asset.currency,
  amount: formatUnits(units, asset.decimals),
  fee: formatUnits(feeUnits, asset.decimals),
  received: formatUnits(units - feeUnits, asset.decimals),
  to_address: toAddress,
});
const quoteExample = {
  chain: payoutExample.chain,
  coin: payoutExample.coin,
  amount: payoutExample.amount,
  fee: payoutExample.fee,
  received: payoutExample.received,
  to_address: payoutExample.to_address,
};
/** The refusals of a payout that its estimate gives too. */
const QUOTE_ERRORS: ReadonlySet<string> = new Set([
  ...['UNSUPPORTED', 'AMOUNT_OUT_OF_RANGE', 'VERIFICATION_REQUIRED', 'NO_WITHDRAWAL_ADDRESS'],
  ...['DESTINATION_UNPAYABLE', 'STATE_CONFLICT', 'NOT_READY', 'NODE_FAILED'],
]);

/** The operations that estimate a payout before it is requested. */
export const payoutQuoteOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'quoteWithdrawal',
    method: 'GET',
    path: '/payout-quotes',
    summary: 'Estimate a payout',
    description:
      'Returns where a payout of your own balance would be paid, and its estimated network fee. Nothing is reserved. Not for BLN (Lightning).',
    errors: WITHDRAWAL_ERRORS.filter((error) => QUOTE_ERRORS.has(error)),
    query: z.object({
      amount: decimalText('Amount that would be taken from the balance'),
      chain: code('Chain code, such as ETH, BTC or TRX'),
      coin: code('Currency code of the coin, such as ETH or USDT-ERC20'),
    }),
    data: quoteSchema,
    examples: { data: quoteExample },
    handler: async ({ actor, query: { coin: currency, ...query } }, { manage }) =>
      quoteRecord(await manage.wallets.quote(actor, { ...query, currency })),
  }),
  manageOperation({
    id: 'quoteRefund',
    method: 'GET',
    path: '/refund-quotes',
    summary: 'Estimate a refund',
    description:
      'Returns what a refund of an order would take from the balance, its estimated network fee, and where the rest would be paid. Nothing is reserved.',
    errors: REFUND_ERRORS.filter((error) => QUOTE_ERRORS.has(error) || error === 'NOT_FOUND'),
    query: z.object({
      order: recordId<OrderId>('ID of the order'),
      ...refundParts,
      surplus: word(['true', 'false'], 'Only what was received beyond the amount due')
        .transform((value) => value === 'true')
        .optional(),
    }),
    data: quoteSchema,
    examples: { data: quoteExample },
    handler: async ({ actor, query: { order, ...query } }, { manage }) =>
      quoteRecord(await manage.orders.quoteRefund(actor, order, inputOf(query))),
  }),
];
