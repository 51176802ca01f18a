import { formatInstant, formatUnits, obtainedUnits, TRANSFER_STATUSES } from '../../../core/index.ts';
import type { AssetCatalogue, ListedOrderView, OrderFile, Transfer, UnconfirmedPayment } from '../../../core/index.ts';
import { z } from 'zod';
import {
  commonOrderFields,
  merchantFields,
  presentCommonFields,
  presentMerchantData,
} from '../operations/order-record.ts';
import { callbackRecord, callbackSchema } from './callbacks.ts';
import { depositRecord, depositSchema } from './deposits.ts';
import { amount, id, instant, time, whole } from './reply-fields.ts';

type Decimals = Pick<AssetCatalogue, 'find'>;

const orderFields = {
  ...commonOrderFields,
  address: z.string().nullable().meta({ description: 'The deposit address, or the invoice' }),
  obtained: z.string().nullable().meta({ description: 'What is credited; null while nothing is' }),
  tolerance_bps: whole('How much less is taken as paid, in basis points'),
  ...merchantFields,
  pay_url: z.string().meta({ description: "The payer's page" }),
  create_time: instant('Creation'),
  update_time: instant('The last change'),
  expire_time: instant('The deadline'),
};
export const managedOrderSchema = z.object(orderFields).meta({ id: 'ManagedOrder' });

/** An order in the management API. */
export function managedOrderRecord({
  order,
  asset,
  chainName,
  payUrl,
}: ListedOrderView): z.input<typeof managedOrderSchema> {
  const { payment } = order;
  // A currency whose plugin was removed is shown in units.
  const decimals = asset?.decimals ?? 0;
  return {
    ...presentCommonFields({ order, asset, chainName }),
    amount: payment === null ? '' : formatUnits(payment.units, decimals),
    address: payment?.address ?? null,
    obtained: order.received === 0n ? null : formatUnits(order.received, decimals),
    tolerance_bps: order.toleranceBps,
    ...presentMerchantData(order),
    pay_url: payUrl,
    create_time: formatInstant(order.createdAt),
    update_time: formatInstant(order.updatedAt),
    expire_time: formatInstant(order.expiresAt),
  };
}

const refundSchema = z.object({
  id: id('The refund'),
  status: z.enum(TRANSFER_STATUSES),
  amount: amount('What leaves the balance'),
  fee: amount('The fee, in the same currency; an estimate until it is signed'),
  obtained: amount('What the payer gets'),
  to_addr: z.string(),
  created_at: instant('Creation'),
  finished_at: instant('When it was paid or failed').nullable(),
});
const unconfirmedSchema = z.object({
  chain: z.string(),
  currency: z.string(),
  amount: amount('What it pays'),
  tx_hash: z.string(),
  seen_at: instant('When it was first seen'),
});
export const orderFileSchema = z
  .object({
    ...orderFields,
    refund_address: z.string().nullable().meta({ description: 'Where a refund would go, as the payer left it' }),
    refundable: z.boolean().meta({ description: 'True when a refund would be accepted now' }),
    transactions: z.array(depositSchema).readonly().meta({ description: 'In blocks, in the order they were seen' }),
    unconfirmed: z.array(unconfirmedSchema).readonly().meta({ description: 'That wait to be mined' }),
    callbacks: z.array(callbackSchema).readonly(),
    refund: refundSchema.nullable().meta({ description: 'null while none was asked for' }),
  })
  .meta({ id: 'OrderFile' });

/** An order with everything that belongs to it. */
export function orderFileRecord(file: OrderFile, assets: Decimals): z.input<typeof orderFileSchema> {
  const { listed, detail, deposits, unconfirmed, callbacks, refund } = file;
  return {
    ...managedOrderRecord(listed),
    refund_address: listed.order.refundAddress,
    refundable: detail.refundable,
    transactions: deposits.map((deposit) => depositRecord(deposit, assets)),
    unconfirmed: unconfirmed.map((payment) => unconfirmedRecord(payment, assets)),
    callbacks: callbacks.map(callbackRecord),
    refund: refund === null ? null : refundRecord(refund, assets),
  };
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
