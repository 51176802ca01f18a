import {
  formatInstant,
  formatUnits,
  liveDeposits,
  obtainedUnits,
  TRANSFER_STATUSES,
  worthInFiat,
} from '../../../../core/index.ts';
import type {
  AssetCatalogue,
  ListedOrderView,
  OrderFile,
  Transfer,
  UnconfirmedPayment,
  Worth,
} from '../../../../core/index.ts';
import { z } from 'zod';
import {
  commonOrderFields,
  merchantFields,
  presentCommonFields,
  presentMerchantData,
} from '../../operations/order-record.ts';
import { callbackRecord, callbackSchema } from '../notify/callbacks.ts';
import { depositRecord, depositSchema } from '../deposits/deposits.ts';
import { amount, id, instant, time, whole } from '../reply-fields.ts';

type Decimals = Pick<AssetCatalogue, 'find'>;

const orderFields = {
  ...commonOrderFields,
  address: z.string().nullable().meta({ description: 'Deposit address or Lightning invoice' }),
  obtained: z.string().nullable().meta({ description: 'Amount credited; null until something is credited' }),
  remark: z.string().meta({ description: 'Note of the person who created the order' }),
  tolerance_bps: whole('Underpayment that still counts as paid, in basis points (1/100 of a percent)'),
  ...merchantFields,
  pay_url: z.string().meta({ description: 'URL of the checkout page' }),
  create_time: instant('Time of creation'),
  update_time: instant('Time of the last change'),
  expire_time: instant('Payment deadline'),
};
export const managedOrderSchema = z.object(orderFields).meta({ id: 'ManagedOrder' });

/** Writes an order of the management API. */
export function managedOrderRecord({
  order,
  asset,
  chainName,
  payUrl,
}: ListedOrderView): z.input<typeof managedOrderSchema> {
  const { payment } = order;
  // The amount of a currency whose plugin was removed is shown in its smallest unit.
  const decimals = asset?.decimals ?? 0;
  return {
    ...presentCommonFields({ order, asset, chainName }),
    amount: payment === null ? '' : formatUnits(payment.units, decimals),
    address: payment?.address ?? null,
    obtained: order.received === 0n ? null : formatUnits(order.received, decimals),
    remark: order.remark,
    tolerance_bps: order.toleranceBps,
    ...presentMerchantData(order),
    pay_url: payUrl,
    create_time: formatInstant(order.createdAt),
    update_time: formatInstant(order.updatedAt),
    expire_time: formatInstant(order.expiresAt),
  };
}

const refundSchema = z.object({
  id: id('ID of the refund'),
  status: z.enum(TRANSFER_STATUSES),
  amount: amount('Amount taken from the balance'),
  fee: amount('Fee in the same currency; an estimate until the payment is signed'),
  obtained: amount('Amount that the payer receives'),
  to_addr: z.string(),
  created_at: instant('Time of creation'),
  finished_at: instant('Time at which it was paid or failed').nullable(),
});
const unconfirmedSchema = z.object({
  chain: z.string(),
  currency: z.string(),
  amount: amount('Amount of the payment'),
  tx_hash: z.string(),
  seen_at: instant('Time at which it was first seen'),
});
export const orderFileSchema = z
  .object({
    ...orderFields,
    refund_address: z.string().nullable().meta({ description: 'Refund address that the payer entered' }),
    refundable: z.boolean().meta({ description: 'Whether a refund to that address would currently be accepted' }),
    refund_sender: z.string().nullable().meta({
      description:
        'Sender of the whole payment, to which a refund with `to: "sender"` would be paid. null if the sender is unknown, if the payer entered a refund address, or if there is nothing to refund.',
    }),
    worth: z
      .object({
        agreed: amount('At the rate of the order'),
        seen: amount(
          'With late payments at the rate at which they were first seen; null if one of those rates is unknown',
        ).nullable(),
      })
      .nullable()
      .meta({ description: "Value of the payments in the order's fiat currency; null until something is received" }),
    transactions: z.array(depositSchema).readonly().meta({
      description: 'Payments in blocks, in the order in which they were seen; the newest 100 if there are more',
    }),
    unconfirmed: z.array(unconfirmedSchema).readonly().meta({ description: 'Payments that are not mined yet' }),
    callbacks: z.array(callbackSchema).readonly(),
    refund: refundSchema.nullable().meta({ description: 'null until a refund is requested' }),
  })
  .meta({ id: 'OrderFile' });

/** Writes an order with its deposits, callbacks, refund and history. */
export function orderFileRecord(file: OrderFile, assets: Decimals): z.input<typeof orderFileSchema> {
  const { listed, detail, deposits, unconfirmed, callbacks, refund } = file;
  return {
    ...managedOrderRecord(listed),
    refund_address: listed.order.refundAddress,
    refundable: detail.refundable,
    refund_sender: detail.refundSender,
    worth: worthRecord(file, assets),
    transactions: deposits.map((deposit) => depositRecord(deposit, assets)),
    unconfirmed: unconfirmed.map((payment) => unconfirmedRecord(payment, assets)),
    callbacks: callbacks.map(callbackRecord),
    refund: refund === null ? null : refundRecord(refund, assets),
  };
}

function worthRecord({ listed: { order }, deposits }: OrderFile, assets: Decimals): Worth | null {
  const live = liveDeposits(order, deposits);
  return live.length === 0 ? null : worthInFiat(order, live, assets);
}

function unconfirmedRecord(
  { chain, currency, units, txid, seenAt }: UnconfirmedPayment,
  assets: Decimals,
): z.input<typeof unconfirmedSchema> {
  const decimals = assets.find(currency)?.decimals ?? 0;
  return { chain, currency, amount: formatUnits(units, decimals), tx_hash: txid, seen_at: formatInstant(seenAt) };
}

function refundRecord(refund: Transfer, assets: Decimals): z.input<typeof refundSchema> {
  const decimals = assets.find(refund.currency)?.decimals ?? 0;
  return {
    id: refund.id,
    status: refund.status,
    amount: formatUnits(refund.units, decimals),
    fee: formatUnits(refund.feeUnits, decimals),
    obtained: formatUnits(obtainedUnits(refund), decimals),
    to_addr: refund.toAddress,
    created_at: formatInstant(refund.createdAt),
    finished_at: time(refund.finishedAt),
  };
}
