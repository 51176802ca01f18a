import { formatTimestamp, formatUnits, obtainedUnits } from '../../../core/index.ts';
import type { RefundView, TransferStatus } from '../../../core/index.ts';
import { z } from 'zod';
import { roundedDown } from '../exact-json.ts';
import { text } from '../fields.ts';
import { optionalCode } from '../fields.ts';
import { dataOperation, merchant } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { REFUND_ERRORS } from '../payout-errors.ts';
import { decimalNumber, id, timestamp } from '../record-fields.ts';
import { detailExample, orderExample } from './order-record.ts';
import { CODE_DIGITS } from './withdrawal-record.ts';

/** The record of a refund, with the fields of both documented shapes. */
export const refundSchema = z
  .object({
    order_id: id('ID of the order'),
    chain: z.string(),
    currency: z.string(),
    amount: decimalNumber('Amount taken from the balance, which is the amount received'),
    network_fee: decimalNumber('Network fee in the same currency; an estimate until the payment is signed'),
    obtained: decimalNumber('Amount that the payer receives'),
    from_addr: z.string().meta({ description: 'Address from which the refund is paid' }),
    to_addr: z.string().meta({ description: 'Address to which the refund is paid' }),
    refund_et: z.number().meta({
      type: 'integer',
      minimum: 0,
      description: 'Time at which the refund became final, in Unix seconds; 0 until then',
    }),
    refund_status: z
      .enum(['PENDING', 'SUCCESS', 'TERMINATED'])
      .meta({ description: 'TERMINATED if the refund could not be paid' }),
    refund_amount: decimalNumber('Same as amount'),
    refund_date: timestamp('Time at which the refund became final; null until then').nullable(),
  })
  .meta({ id: 'Refund' });

type RefundRecord = z.input<typeof refundSchema>;

const REFUND_STATUS: Readonly<Record<TransferStatus, RefundRecord['refund_status']>> = {
  HELD: 'PENDING',
  REQUESTED: 'PENDING',
  SIGNED: 'PENDING',
  BROADCAST: 'PENDING',
  CONFIRMED: 'SUCCESS',
  FAILED: 'TERMINATED',
};

/** Writes the record of a refund. */
export function presentRefund({ refund, orderId, asset: { decimals } }: RefundView): RefundRecord {
  const amount = roundedDown(formatUnits(refund.units, decimals));
  const final = refund.status === 'CONFIRMED' ? refund.finishedAt : null;
  return {
    order_id: orderId,
    chain: refund.chain,
    currency: refund.currency,
    amount,
    network_fee: roundedDown(formatUnits(refund.feeUnits, decimals)),
    obtained: roundedDown(formatUnits(obtainedUnits(refund), decimals)),
    from_addr: refund.sourceAddress,
    to_addr: refund.toAddress,
    refund_et: final === null ? 0 : Math.floor(final / 1000),
    refund_status: REFUND_STATUS[refund.status],
    refund_amount: amount,
    refund_date: final === null ? null : formatTimestamp(final),
  };
}

type Refund = z.output<typeof refundSchema>;

const refundExample: Refund = {
  order_id: orderExample.order_id,
  chain: 'ETH',
  currency: 'USDT-ERC20',
  amount: 25,
  network_fee: 0.42,
  obtained: 24.58,
  from_addr: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  to_addr: detailExample.from_addr,
  refund_et: 0,
  refund_status: 'PENDING',
  refund_amount: 25,
  refund_date: null,
};
const paidRefundExample: Refund = {
  ...refundExample,
  refund_et: 1777896600,
  refund_status: 'SUCCESS',
  refund_date: '2026-05-04T12:10:00',
};

const shared = {
  tag: 'Orders',
  params: z.object({ order_id: text(64, 'ID of the order') }),
  data: refundSchema,
} as const;

const refundInfo = dataOperation({
  ...shared,
  id: 'getRefundInfo',
  method: 'GET',
  path: '/api/v2/order/refund-info/{order_id}',
  summary: 'Retrieve a refund',
  description:
    'Returns the refund of an order. Answers 40400 if no refund was requested, or if the order belongs to another account.',
  auth: merchant('read'),
  errors: ['NOT_FOUND'],
  examples: { data: paidRefundExample },
  handler: async ({ principal, params }, { requestRefund }) =>
    presentRefund(await requestRefund.info(principal.accountId, params.order_id)),
});

export const refundBody = z.object({
  verify_code: optionalCode(
    CODE_DIGITS,
    'Code of the second factor; required if the account demands one for withdrawals',
  ),
});

const refund = dataOperation({
  ...shared,
  id: 'refundOrder',
  method: 'POST',
  path: '/api/v2/order/refund/{order_id}',
  summary: 'Refund an order',
  description:
    'Refunds the amount received, less the network fee, to the address that the payer entered on the checkout page. An order can be refunded once. Answers 40900 while the payer has entered no address, and for some time after an address was entered when the payment had already been seen (`refunds.addressHoldSeconds`). `verify_code` is required if the account demands a code for withdrawals. A refund that needs approval is HELD, and reported as PENDING here until it is approved.',
  auth: merchant('move'),
  idempotent: true,
  bodyOptional: true,
  body: refundBody,
  errors: REFUND_ERRORS,
  examples: { data: refundExample },
  handler: async ({ principal, params, body, idempotency }, { requestRefund }) => {
    const input = { verifyCode: body.verify_code };
    return presentRefund(await requestRefund.run(principal, params.order_id, idempotency, null, input));
  },
});

/** The operations of refunds. */
export const refundOperations: readonly Operation[] = [refundInfo, refund];
