import {
  allowsRefund,
  formatInstant,
  formatUnits,
  liveDeposits,
  obtainedUnits,
  requireFiat,
  TRANSFER_STATUSES,
  unitsLeft,
  worthInFiat,
} from '../../../../core/index.ts';
import type {
  AssetCatalogue,
  ListedOrderView,
  Order,
  OrderDetailView,
  OrderFile,
  Transfer,
  UnconfirmedPayment,
  Worth,
} from '../../../../core/index.ts';
import { z } from 'zod';
import {
  formatPrice,
  merchantFields,
  orderPlatform,
  orderType,
  presentMerchantData,
} from '../../operations/order-record.ts';
import { orderStatus } from '../../record-fields.ts';
import { callbackRecord, callbackSchema } from '../notify/callbacks.ts';
import { depositRecord, depositSchema } from '../deposits/deposits.ts';
import { amount, id, instant, time, whole } from '../reply-fields.ts';

type Decimals = Pick<AssetCatalogue, 'find'>;

const paymentSchema = z
  .object({
    chain: z.string().meta({ description: 'Chain code, such as ETH' }),
    chain_name: z.string(),
    coin: z.string().meta({ description: 'Currency code of the coin, such as USDT-ERC20' }),
    amount: amount('Amount due in the coin'),
    address: z.string().meta({ description: 'Deposit address or Lightning invoice' }),
  })
  .meta({ id: 'OrderPayment' });

const cartSchema = z
  .object({
    lines: z
      .array(
        z.object({
          item: z.string().meta({ description: 'ID of the item of the payment link' }),
          name: z.string(),
          price: amount('Price of one'),
          quantity: whole('Number of this item'),
        }),
      )
      .readonly(),
    tip: amount('Part of the price of the order that is a tip'),
  })
  .meta({ id: 'OrderCart' });

const orderFields = {
  id: id('ID of the order'),
  account: id('ID of the account that owns the order'),
  type: orderType,
  platform: orderPlatform,
  status: orderStatus,
  price: amount('Price in the fiat currency'),
  currency: z.string().meta({ description: 'Fiat currency code, such as EUR' }),
  payment: paymentSchema.nullable().meta({ description: 'null until the payer has chosen a coin' }),
  received: amount('Amount credited in the coin').nullable().meta({ description: 'null until something is credited' }),
  refunded_amount: amount('Amount refunded in the coin, by refunds that are paid'),
  refundable_amount: amount('Amount received in the coin that is neither refunded nor being refunded'),
  remark: z.string().meta({ description: 'Note of the person who created the order' }),
  tolerance_bps: whole('Underpayment that still counts as paid, in basis points (1/100 of a percent)'),
  ...merchantFields,
  cart: cartSchema
    .nullable()
    .meta({ description: 'What was bought with a payment link that has items or tips; else null' }),
  pay_url: z.string().meta({ description: 'URL of the checkout page' }),
  created_at: instant('Time of creation'),
  updated_at: instant('Time of the last change'),
  expires_at: instant('Payment deadline'),
};
export const managedOrderSchema = z.object(orderFields).meta({ id: 'ManagedOrder' });

/** Writes an order of the management API. */
export function managedOrderRecord({
  order,
  asset,
  chainName,
  refunds,
  payUrl,
}: ListedOrderView): z.input<typeof managedOrderSchema> {
  const { payment } = order;
  // The amount of a currency whose plugin was removed is shown in its smallest unit.
  const decimals = asset?.decimals ?? 0;
  return {
    id: order.id,
    account: order.accountId,
    type: order.type,
    platform: order.platform,
    status: order.status,
    price: formatPrice(order),
    currency: order.vsCurrency,
    payment: payment && {
      chain: payment.chain,
      chain_name: chainName,
      coin: payment.currency,
      amount: formatUnits(payment.units, decimals),
      address: payment.address,
    },
    received: order.received === 0n ? null : formatUnits(order.received, decimals),
    refunded_amount: formatUnits(refunds.paid, decimals),
    refundable_amount: formatUnits(allowsRefund(order.status) ? unitsLeft(order, refunds) : 0n, decimals),
    remark: order.remark,
    tolerance_bps: order.toleranceBps,
    ...presentMerchantData(order),
    cart: cartRecord(order),
    pay_url: payUrl,
    created_at: formatInstant(order.createdAt),
    updated_at: formatInstant(order.updatedAt),
    expires_at: formatInstant(order.expiresAt),
  };
}

function cartRecord({ cart, vsCurrency }: Order): z.input<typeof cartSchema> | null {
  if (cart === null) return null;
  const { decimals } = requireFiat(vsCurrency);
  return {
    lines: cart.lines.map(({ id: item, name, price, quantity }) => ({
      item,
      name,
      price: formatUnits(price, decimals),
      quantity,
    })),
    tip: formatUnits(cart.tip, decimals),
  };
}

/** The data of an order's events. */
export const orderEventSchema = managedOrderSchema
  .omit({ pay_url: true })
  .extend({
    refundable: z.boolean().meta({ description: 'Whether a refund of all that is left would currently be accepted' }),
    from_address: z.string().nullable().meta({ description: 'null if the sender is unknown or there are several' }),
    tx_hashes: z.array(z.string()).readonly().meta({
      description: 'Transactions that pay it, in the order in which they were seen; the newest 100 if there are more',
    }),
  })
  .meta({ id: 'OrderEvent' });

/** Writes {@link orderEventSchema}. */
export function orderEventRecord(view: OrderDetailView): z.input<typeof orderEventSchema> {
  const { pay_url: _payUrl, ...record } = managedOrderRecord({ ...view, payUrl: '' });
  const { refundable, fromAddress, txids } = view;
  return { ...record, refundable, from_address: fromAddress, tx_hashes: txids };
}

const refundSchema = z.object({
  id: id('ID of the refund'),
  status: z.enum(TRANSFER_STATUSES),
  amount: amount('Amount taken from the balance'),
  fee: amount('Fee in the same currency; an estimate until the payment is signed'),
  received: amount('Amount that the payer receives'),
  to_address: z.string(),
  created_at: instant('Time of creation'),
  finished_at: instant('Time at which it was paid or failed').nullable(),
});
const unconfirmedSchema = z.object({
  chain: z.string(),
  coin: z.string(),
  amount: amount('Amount of the payment'),
  tx_hash: z.string(),
  seen_at: instant('Time at which it was first seen'),
});
export const orderFileSchema = z
  .object({
    ...orderFields,
    refund_address: z.string().nullable().meta({ description: 'Refund address that the payer entered' }),
    refundable: z
      .boolean()
      .meta({ description: 'Whether a refund of all that is left to that address would currently be accepted' }),
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
    refunds: z.array(refundSchema).readonly().meta({
      description: 'Refunds, failed ones too, oldest first; the newest 100 if there are more',
    }),
  })
  .meta({ id: 'ManagedOrderDetail' });

/** Writes an order with its deposits, callbacks and refunds. */
export function orderFileRecord(file: OrderFile, assets: Decimals): z.input<typeof orderFileSchema> {
  const { listed, detail, deposits, unconfirmed, callbacks, refunds } = file;
  return {
    ...managedOrderRecord(listed),
    refund_address: listed.order.refundAddress,
    refundable: detail.refundable,
    refund_sender: detail.refundSender,
    worth: worthRecord(file, assets),
    transactions: deposits.map((deposit) => depositRecord(deposit, assets)),
    unconfirmed: unconfirmed.map((payment) => unconfirmedRecord(payment, assets)),
    callbacks: callbacks.map(callbackRecord),
    refunds: refunds.map((refund) => refundRecord(refund, assets)),
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
  return { chain, coin: currency, amount: formatUnits(units, decimals), tx_hash: txid, seen_at: formatInstant(seenAt) };
}

function refundRecord(refund: Transfer, assets: Decimals): z.input<typeof refundSchema> {
  const decimals = assets.find(refund.currency)?.decimals ?? 0;
  return {
    id: refund.id,
    status: refund.status,
    amount: formatUnits(refund.units, decimals),
    fee: formatUnits(refund.feeUnits, decimals),
    received: formatUnits(obtainedUnits(refund), decimals),
    to_address: refund.toAddress,
    created_at: formatInstant(refund.createdAt),
    finished_at: time(refund.finishedAt),
  };
}
