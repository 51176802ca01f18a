import { parse } from 'lossless-json';
import {
  amountRequired,
  findFiat,
  formatUnits,
  LIGHTNING_ASSET,
  mulDiv,
  owedUnits,
  pow10,
  present,
  SHOWN_PAYMENTS,
} from '../../../core/index.ts';
import type {
  Asset,
  ChainRegistry,
  Deposit,
  Fiat,
  PaymentOption,
  ShopOrderView,
  UnconfirmedPayment,
} from '../../../core/index.ts';
import { z } from 'zod';
import { decimal, inSeconds, seconds } from './fields.ts';
import { ADDITIONAL_STATUSES, availableMarks, INVOICE_STATUSES, invoiceState, MARKS } from './invoice-state.ts';
import type { InvoiceFacts } from './invoice-state.ts';
import { paymentMethodId } from './payment-method-ids.ts';
import { SPEEDS } from './checkout-options.ts';
import type { CheckoutOptions } from './checkout-options.ts';

const checkoutSchema = z
  .object({
    speedPolicy: z.enum(Object.keys(SPEEDS) as [string, ...string[]]),
    paymentMethods: z.array(z.string()).readonly().meta({ description: 'Payment methods that the payer may choose' }),
    defaultPaymentMethod: z.string().nullable(),
    lazyPaymentMethods: z.boolean(),
    expirationMinutes: z.number(),
    monitoringMinutes: z.number(),
    paymentTolerance: z.number().meta({ description: 'Percentage of the amount that may be missing' }),
    redirectURL: z.string().nullable(),
    redirectAutomatically: z.boolean(),
    defaultLanguage: z.string().nullable(),
  })
  .meta({ id: 'GreenfieldCheckout' });

const paymentSchema = z
  .object({
    id: z.string().meta({ description: 'Hash of the transaction, and its output' }),
    receivedDate: seconds('Time at which it was first seen'),
    value: decimal('Amount in the coin'),
    fee: decimal('Always 0'),
    status: z.enum(['Processing', 'Settled']),
    destination: z.string(),
  })
  .meta({ id: 'GreenfieldPayment' });

export type PaymentRecord = z.input<typeof paymentSchema>;

export const invoiceMethodSchema = z
  .object({
    paymentMethodId: z.string(),
    currency: z.string().meta({ description: 'Symbol of the coin, such as BTC' }),
    activated: z.boolean().meta({ description: 'Whether the payer has chosen it' }),
    destination: z.string().meta({ description: 'Address, or payment request; empty until the payer has chosen it' }),
    paymentLink: z.string().nullable(),
    rate: decimal('Price of one coin'),
    amount: decimal('Amount due in the coin'),
    due: decimal('Amount still to be paid; negative if more was paid'),
    paymentMethodPaid: decimal('Amount paid in the coin'),
    totalPaid: decimal('The same: an invoice is paid in one coin'),
    paymentMethodFee: decimal('Always 0'),
    payments: z.array(paymentSchema).readonly(),
    additionalData: z.object({}),
  })
  .meta({ id: 'GreenfieldInvoicePaymentMethod' });

export type InvoiceMethodRecord = z.input<typeof invoiceMethodSchema>;

export const invoiceSchema = z
  .object({
    id: z.string().meta({ description: 'ID of the invoice, which cannot be guessed' }),
    storeId: z.string(),
    amount: decimal('Amount in the fiat currency'),
    paidAmount: decimal('What was paid, at the rate of the order'),
    currency: z.string(),
    type: z.literal('Standard'),
    checkoutLink: z.string().meta({ description: "URL of the payer's page" }),
    createdTime: seconds('Time of creation'),
    expirationTime: seconds('Deadline of the payment'),
    monitoringExpiration: seconds('End of the time in which late payments are watched for'),
    status: z.enum(INVOICE_STATUSES),
    additionalStatus: z.enum(ADDITIONAL_STATUSES),
    availableStatusesForManualMarking: z.array(z.enum(MARKS)).readonly(),
    archived: z.boolean(),
    metadata: z.unknown().meta({ type: 'object', description: 'As it was sent' }),
    checkout: checkoutSchema,
    receipt: z.object({ enabled: z.boolean() }),
    paymentMethods: z.array(invoiceMethodSchema).readonly().optional(),
  })
  .meta({ id: 'GreenfieldInvoice' });

export type InvoiceRecord = z.input<typeof invoiceSchema>;

/** The facts of an order from which the state of its invoice follows. */
export function factsOf({ order, deposits, unconfirmed, lastMove }: ShopOrderView): InvoiceFacts {
  const { status, payment, toleranceBps } = order;
  const mined = deposits.reduce((sum, deposit) => sum + owedUnits(deposit), 0n);
  return {
    status,
    lastMove,
    due: payment?.units ?? null,
    required: payment === null ? null : amountRequired(payment.units, toleranceBps),
    seen: unconfirmed.reduce((sum, { units }) => sum + units, mined),
  };
}

/** What a shop's own data is read from. */
interface MetadataSource extends Pick<ShopOrderView, 'shop'> {
  readonly order: Pick<ShopOrderView['order'], 'merchantReference' | 'metadata'>;
}

/** The JSON object that a shop sent, with its numbers as they were. */
export function metadataOf({ order, shop }: MetadataSource): unknown {
  const { merchantReference, metadata } = order;
  if (shop !== null) return parse(shop.metadata);
  return merchantReference === null ? metadata : { ...metadata, orderId: merchantReference };
}

/** An order as an invoice. @param methods - the ids of the store's payment methods, for an invoice that may be paid with all */
export function invoiceRecord(view: ShopOrderView, methods: readonly string[]): InvoiceRecord {
  const { order, shop, url } = view;
  const fiat = present(findFiat(order.vsCurrency), `fiat ${order.vsCurrency}`);
  const facts = factsOf(view);
  return {
    id: order.checkoutToken,
    storeId: order.accountId,
    amount: formatUnits(order.vsPrice, fiat.decimals),
    paidAmount: formatUnits(paidIn(order.vsPrice, facts), fiat.decimals),
    currency: order.vsCurrency,
    type: 'Standard',
    checkoutLink: url,
    createdTime: inSeconds(order.createdAt),
    expirationTime: inSeconds(order.expiresAt),
    monitoringExpiration: inSeconds(order.watchUntil),
    ...invoiceState(facts),
    availableStatusesForManualMarking: availableMarks(facts),
    archived: shop !== null && shop.archivedAt !== null,
    metadata: metadataOf(view),
    checkout: checkoutRecord(view, methods),
    receipt: { enabled: true },
  };
}

/** The fiat worth of what was seen, at the order's rate, rounded down. */
function paidIn(vsPrice: bigint, { seen, due }: Pick<InvoiceFacts, 'seen' | 'due'>): bigint {
  return due === null || due === 0n ? 0n : mulDiv(vsPrice, seen, due, 'down');
}

function checkoutRecord({ order, shop }: ShopOrderView, methods: readonly string[]): InvoiceRecord['checkout'] {
  const asked = (shop === null ? {} : JSON.parse(shop.checkout)) as Partial<CheckoutOptions>;
  const { speedPolicy, paymentMethods, defaultLanguage, defaultPaymentMethod } = asked;
  const { createdAt, expiresAt, watchUntil, links, payment, hosted } = order;
  const only = !hosted && payment !== null ? [paymentMethodId(payment)] : methods;
  return {
    speedPolicy: speedPolicy ?? 'MediumSpeed',
    paymentMethods: paymentMethods ?? only,
    defaultPaymentMethod: defaultPaymentMethod ?? null,
    lazyPaymentMethods: true,
    expirationMinutes: Math.round((expiresAt - createdAt) / 60_000),
    monitoringMinutes: Math.round((watchUntil - expiresAt) / 60_000),
    paymentTolerance: order.toleranceBps / 100,
    redirectURL: links.succeedUrl,
    redirectAutomatically: true,
    defaultLanguage: defaultLanguage ?? null,
  };
}

/** The payments of an order in its coin, oldest first; of many the newest {@link SHOWN_PAYMENTS}. */
export function paymentRecords({ order, asset, deposits, unconfirmed }: ShopOrderView): readonly PaymentRecord[] {
  const { payment } = order;
  if (payment === null || asset === null) return [];
  return [
    ...deposits.map((deposit) => depositRecord(deposit, asset)),
    ...unconfirmed.map((each) => waitingRecord(each, asset, payment.address)),
  ].slice(-SHOWN_PAYMENTS);
}

/** The text before the first `-` is the transaction. */
const paymentId = ({ txid, index }: Pick<Deposit, 'txid' | 'index'>): string => `${txid.replaceAll('-', '')}-${index}`;

/** A deposit as a payment of its invoice. */
export function depositRecord(deposit: Deposit, { decimals }: Asset): PaymentRecord {
  return {
    id: paymentId(deposit),
    receivedDate: inSeconds(deposit.paidAt),
    value: formatUnits(owedUnits(deposit), decimals),
    fee: '0',
    status: deposit.status === 'SEEN' ? 'Processing' : 'Settled',
    destination: deposit.toAddress,
  };
}

function waitingRecord(each: UnconfirmedPayment, { decimals }: Asset, destination: string): PaymentRecord {
  const value = formatUnits(each.units, decimals);
  return {
    id: paymentId(each),
    receivedDate: inSeconds(each.seenAt),
    value,
    fee: '0',
    status: 'Processing',
    destination,
  };
}

/** The decimals of a price of a coin. */
const RATE_DECIMALS = 8;

/** The fiat price of one coin when an amount of units costs the price of the order. */
function rateOf(vsPrice: bigint, fiat: Fiat, units: bigint, { decimals }: Asset): string {
  if (units === 0n) return '0';
  const rate = mulDiv(vsPrice * pow10(decimals), pow10(RATE_DECIMALS), units * pow10(fiat.decimals), 'down');
  return formatUnits(rate, RATE_DECIMALS);
}

/** The coins of an invoice: the one that was chosen with its payments, or those among which the payer may choose. */
export function invoiceMethods(
  view: ShopOrderView,
  options: readonly PaymentOption[],
  chains: ChainRegistry,
  now: number,
): readonly InvoiceMethodRecord[] {
  const { order, asset } = view;
  const { payment } = order;
  if (payment === null || asset === null) return options.map((option) => offeredMethod(view, option));
  const { seen, required } = factsOf(view);
  const text = (units: bigint): string => formatUnits(units, asset.decimals);
  const isPayable = order.status === 'PENDING' && now < order.expiresAt && (required === null || seen < required);
  return [
    {
      ...offeredMethod(view, { asset, units: payment.units }),
      activated: true,
      destination: payment.address,
      paymentLink: isPayable ? linkOf(chains, asset, payment.address, payment.units - seen) : null,
      due: text(payment.units - seen),
      paymentMethodPaid: text(seen),
      totalPaid: text(seen),
      payments: paymentRecords(view),
    },
  ];
}

function offeredMethod({ order }: ShopOrderView, { asset, units }: PaymentOption): InvoiceMethodRecord {
  const fiat = present(findFiat(order.vsCurrency), `fiat ${order.vsCurrency}`);
  return {
    paymentMethodId: paymentMethodId(asset),
    currency: asset.symbol,
    activated: false,
    destination: '',
    paymentLink: null,
    rate: rateOf(order.vsPrice, fiat, units, asset),
    amount: formatUnits(units, asset.decimals),
    due: formatUnits(units, asset.decimals),
    paymentMethodPaid: '0',
    totalPaid: '0',
    paymentMethodFee: '0',
    payments: [],
    additionalData: {},
  };
}

function linkOf(chains: ChainRegistry, { chain, currency }: Asset, address: string, units: bigint): string | null {
  if (chain === LIGHTNING_ASSET.chain) return `lightning:${address}`;
  return chains.get(chain)?.paymentUri({ address, currency, units }) ?? null;
}
