import { formatTimestamp, formatUnits, obtainedUnits, present } from '../../../core/index.ts';
import type { RefundView, TransferStatus } from '../../../core/index.ts';
import { z } from 'zod';
import { roundedDown } from '../exact-json.ts';
import { text } from '../fields.ts';
import { dataOperation, merchant } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { decimalNumber, id, timestamp } from '../record-fields.ts';
import { detailExample, orderExample } from './order-record.ts';

/** Refund information, with the fields of both documented shapes (specification, "Refund information"; decisions, section 5). */
export const refundSchema = z
  .object({
    order_id: id('The order'),
    chain: z.string(),
    currency: z.string(),
    amount: decimalNumber('What leaves the balance: what was received'),
    network_fee: decimalNumber('The fee of the refund, in the same currency; an estimate until it is signed'),
    obtained: decimalNumber('What the payer gets'),
    from_addr: z.string().meta({ description: 'Where the refund is paid from' }),
    to_addr: z.string().meta({ description: 'Where it goes' }),
    refund_et: z.number().meta({ type: 'integer', minimum: 0, description: 'Unix seconds; 0 until it is final' }),
    refund_status: z
      .enum(['PENDING', 'SUCCESS', 'TERMINATED'])
      .meta({ description: 'TERMINATED when it could not be paid' }),
    refund_amount: decimalNumber('The same as amount'),
    refund_date: timestamp('When it was final; null until then').nullable(),
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

/** Refund information. */
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

const shared = { tag: 'Orders', params: z.object({ order_id: text(64, 'The order') }), data: refundSchema } as const;

const refundInfo = dataOperation({
  ...shared,
  id: 'getRefundInfo',
  method: 'GET',
  path: '/api/v2/order/refund-info/{order_id}',
  summary: 'Get Refund Information',
  description:
    "The refund of one of the account's orders; 40400 before one was asked for, and for another account's order (specification, endpoint 5).",
  auth: merchant('read'),
  errors: ['NOT_FOUND'],
  examples: { data: paidRefundExample },
  handler: async ({ principal, params }, { requestRefund }) =>
    presentRefund(await requestRefund.info(present(principal, 'principal').accountId, params.order_id)),
});

const refund = dataOperation({
  ...shared,
  id: 'refundOrder',
  method: 'POST',
  path: '/api/v2/order/refund/{order_id}',
  summary: 'Orders Refund',
  description:
    "Pays back what was received, less the network's fee: to the address that the payer left, else to the payment's single sender. Once for each order (specification, endpoint 6). Without a destination the answer is 40900 with the link of the page where the payer leaves one.",
  auth: merchant('move'),
  idempotent: true,
  errors: [
    'NOT_FOUND',
    'STATE_CONFLICT',
    'IDEMPOTENCY_MISMATCH',
    'IDEMPOTENCY_RUNNING',
    'INSUFFICIENT_BALANCE',
    'NODE_FAILED',
    'NOT_READY',
  ],
  examples: { data: refundExample },
  handler: async ({ principal, params, idempotency }, { requestRefund }) =>
    presentRefund(await requestRefund.run(present(principal, 'principal'), params.order_id, idempotency)),
});

/** Refunds: endpoints 5 and 6. */
export const refundOperations: readonly Operation[] = [refundInfo, refund];
