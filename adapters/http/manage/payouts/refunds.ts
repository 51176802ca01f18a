import { REFUND_RATES, REFUND_TO } from '../../../../core/index.ts';
import type { OrderId } from '../../../../core/index.ts';
import { z } from 'zod';
import { decimalText, optionalCode } from '../../fields.ts';
import { CODE_DIGITS } from '../../operations/withdrawal-record.ts';
import { REFUND_ERRORS } from '../../payout-errors.ts';
import { inputOf, recordId, word, yesNo } from '../fields.ts';
import { apiOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { payoutExample, payoutRecord, payoutSchema } from './payouts.ts';

/** What a refund and its estimate are asked for, besides the order. */
export const refundParts = {
  to: word(REFUND_TO, 'Recipient; defaults to `payer`, the address that the payer entered').optional(),
  amount: decimalText('Amount to refund in the coin of the order').optional(),
  fiat_amount: decimalText(
    'Amount to refund in the fiat currency of the order, instead of `amount`; converted to the coin and rounded down',
  ).optional(),
  rate: word(
    REFUND_RATES,
    'Rate of `fiat_amount`: `order`, at which the order was priced, or `current`; defaults to `order`',
  ).optional(),
};

/** The operation of refunds; a refund is a payout of the kind `refund`. */
export const refundOperations: readonly ManageOperation[] = [
  apiOperation({
    offer: { name: 'refunds.create', scope: 'move' },
    id: 'refundOrderByHand',
    method: 'POST',
    path: '/refunds',
    status: 201,
    summary: 'Refund an order',
    description:
      'Refunds all that is left of the amount received, or a part of it: `amount`, `fiat_amount` or `surplus`. The network fee is taken from the refund. It goes to the address that the payer entered. With `to: "sender"` it goes to the single sender of the payment, if the payer entered no address. Do not use it for payments from an exchange: the sender is then an address of the exchange, and the payer receives nothing. An order can have several refunds, one after another, together never more than it received; it is REFUNDED once the refund that takes all that is left is final. A refund that needs approval is HELD until another person approves it.',
    idempotent: true,
    body: z.object({
      order: recordId<OrderId>('ID of the order'),
      ...refundParts,
      surplus: yesNo('Refund only what was received beyond the amount due').optional(),
      verify_code: optionalCode(CODE_DIGITS, 'Code of the second factor, where the account demands one for payouts'),
    }),
    errors: REFUND_ERRORS,
    data: payoutSchema,
    examples: {
      body: { order: '1530218000000000000', fiat_amount: '10.00', to: 'sender' },
      data: {
        ...payoutExample,
        kind: 'refund',
        status: 'REQUESTED',
        order: '1530218000000000000',
        requested_by: payoutExample.account,
      },
    },
    handler: async ({ actor, body: { order, ...body }, idempotency }, { manage, assets }) =>
      payoutRecord(await manage.orders.refund(actor, order, idempotency, inputOf(body)), assets),
  }),
];
