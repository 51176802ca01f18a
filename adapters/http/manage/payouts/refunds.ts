import { REFUND_TO } from '../../../../core/index.ts';
import type { OrderId } from '../../../../core/index.ts';
import { z } from 'zod';
import { optionalCode } from '../../fields.ts';
import { CODE_DIGITS } from '../../operations/withdrawal-record.ts';
import { REFUND_ERRORS } from '../../payout-errors.ts';
import { inputOf, recordId, word } from '../fields.ts';
import { apiOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { payoutExample, payoutRecord, payoutSchema } from './payouts.ts';

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
      'Refunds the amount received, less the network fee, to the address that the payer entered. With `to: "sender"` it goes to the single sender of the payment, if the payer entered no address. Do not use it for payments from an exchange: the sender is then an address of the exchange, and the payer receives nothing. An order can be refunded once. A refund that needs approval is HELD until another person approves it.',
    idempotent: true,
    body: z.object({
      order: recordId<OrderId>('ID of the order'),
      to: word(REFUND_TO, 'Recipient; defaults to `payer`, the address that the payer entered').optional(),
      verify_code: optionalCode(CODE_DIGITS, 'Code of the second factor, where the account demands one for payouts'),
    }),
    errors: REFUND_ERRORS,
    data: payoutSchema,
    examples: {
      body: { order: '1530218000000000000', to: 'sender' },
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
