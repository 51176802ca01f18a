import { present } from '../../../core/index.ts';
import type { RefundRecord } from '../../../core/index.ts';
import { z } from 'zod';
import { roundedDown } from '../exact-json.ts';
import { text } from '../fields.ts';
import { dataOperation, MERCHANT, MERCHANT_ONCE } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { refundSchema } from '../records.ts';
import { paidRefundExample, refundExample } from './examples.ts';

const shared = {
  tag: 'Orders',
  params: z.object({ order_id: text(64, 'The order') }),
  data: refundSchema,
  numberFields: ['amount', 'network_fee', 'obtained', 'refund_amount'],
} as const;

function onTheWire(record: RefundRecord): RefundRecord {
  const { amount, network_fee, obtained, refund_amount } = record;
  return {
    ...record,
    amount: roundedDown(amount),
    network_fee: roundedDown(network_fee),
    obtained: roundedDown(obtained),
    refund_amount: roundedDown(refund_amount),
  };
}

const refundInfo = dataOperation({
  ...shared,
  id: 'getRefundInfo',
  method: 'GET',
  path: '/api/v2/order/refund-info/{order_id}',
  summary: 'Get Refund Information',
  description: "The refund of one of the account's orders; 40400 before one was asked for, and for another account's order (specification, endpoint 5).",
  auth: MERCHANT,
  errors: ['NOT_FOUND'],
  examples: { data: paidRefundExample },
  handler: async ({ principal, params }, { requestRefund }) =>
    onTheWire(await requestRefund.info(present(principal, 'principal').accountId, params.order_id)),
});

const refund = dataOperation({
  ...shared,
  id: 'refundOrder',
  method: 'POST',
  path: '/api/v2/order/refund/{order_id}',
  summary: 'Orders Refund',
  description:
    "Pays back what was received, less the network's fee: to the address that the payer left, else to the payment's single sender. Once for each order (specification, endpoint 6). Without a destination the answer is 40900 with the link of the page where the payer leaves one.",
  auth: MERCHANT_ONCE,
  idempotent: true,
  errors: ['NOT_FOUND', 'STATE_CONFLICT', 'IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_RUNNING', 'INSUFFICIENT_BALANCE', 'NODE_FAILED', 'NOT_READY'],
  examples: { data: refundExample },
  handler: async ({ principal, params, idempotency }, { requestRefund }) =>
    onTheWire(await requestRefund.run(present(principal, 'principal'), params.order_id, idempotency)),
});

/** Refunds: endpoints 5 and 6. */
export const refundOperations: readonly Operation[] = [refundInfo, refund];
