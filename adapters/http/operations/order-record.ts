import { findFiat, formatTimestamp, formatUnits, present } from '../../../core/index.ts';
import type {
  CallbackContent,
  CallbackPresenter,
  NewOrderInput,
  Order,
  OrderDetailView,
  OrderView,
} from '../../../core/index.ts';
import { z } from 'zod';
import type { HttpSettings } from '../deps.ts';
import { flag, optionalCount, merchantReference, merchantUrl, metadata } from '../fields.ts';
import { decimal, id, orderStatus, timestamp } from '../record-fields.ts';

// The order as merchants see it in requests, replies and callbacks. The client's types, the OpenAPI document and its
// examples are derived from these schemas.

export const orderType = z.enum(['ORDER', 'INVOICE']);
export const orderPlatform = z.enum(['API', 'CHECKOUT', 'DASHBOARD']);

/** The first fields of every order record of this API. */
const commonOrderFields = {
  user_id: id('ID of the account that owns the order'),
  order_id: id('ID of the order'),
  order_type: orderType,
  platform: orderPlatform,
  status: orderStatus,
  chain: z.string().meta({ description: 'Chain code; empty until the payer has chosen a coin' }),
  chain_name: z.string(),
  currency: z.string(),
  amount: decimal('Amount due in the coin; empty until the payer has chosen a coin'),
  vs_price: decimal('Price in the fiat currency'),
  vs_currency: z.string(),
};
const orderFields = {
  ...commonOrderFields,
  remark: z.string(),
  refund: z.boolean().meta({ description: 'Whether a refund would currently be accepted' }),
};
/** Data that the merchant stored with an order. These fields come last in a record. */
export const merchantFields = {
  merchant_reference: z.string().nullable().meta({ description: 'Your own reference for the order' }),
  metadata: z.record(z.string(), z.string()).readonly().meta({ description: 'Your own key-value pairs' }),
};
const times = { create_time: timestamp('Creation'), update_time: timestamp('Last update') };
const paymentFields = {
  tx_id: z.string(),
  tx_type: z.string(),
  obtained: z.string().nullable(),
  fee: z.string(),
  from_addr: z.string().nullable(),
};

/** An item of the order list. */
export const orderSchema = z.object({ ...orderFields, ...times, ...merchantFields }).meta({ id: 'Order' });

/** The record of an order in full. */
export const orderDetailSchema = z
  .object({
    ...orderFields,
    ...times,
    ...paymentFields,
    to_addr: z
      .union([z.literal(false), z.string()])
      .meta({ description: 'Deposit address; false if the order has none' }),
    tx_hash: z.string(),
    contract_id: z.string().nullable(),
    ...merchantFields,
  })
  .meta({ id: 'OrderDetail' });

/** The order record in the body of a POST callback. */
export const callbackOrderSchema = z.object({
  ...orderFields,
  bind_id: z.null(),
  ...times,
  ...paymentFields,
  to_addr: z.string().nullable(),
  tx_hash: z.string().nullable(),
  tx_hash_list: z.array(z.string()).readonly(),
  contract_id: z.string().nullable(),
  website: z.null(),
  ...merchantFields,
});

/** The price of an order as a plain decimal in its fiat currency. */
export function formatPrice({ vsPrice, vsCurrency }: Order): string {
  return formatUnits(vsPrice, present(findFiat(vsCurrency), `fiat ${vsCurrency}`).decimals);
}

/** Writes {@link commonOrderFields}. */
function presentCommonFields({ order, asset, chainName }: Pick<OrderView, 'order' | 'asset' | 'chainName'>) {
  const { payment } = order;
  return {
    user_id: order.accountId,
    order_id: order.id,
    order_type: order.type,
    platform: order.platform,
    status: order.status,
    chain: payment?.chain ?? '',
    chain_name: chainName,
    currency: payment?.currency ?? '',
    amount: payment === null || asset === null ? '' : formatUnits(payment.units, asset.decimals),
    vs_price: formatPrice(order),
    vs_currency: order.vsCurrency,
  };
}

function presentFields(view: OrderView) {
  return { ...presentCommonFields(view), remark: view.order.remark, refund: view.refundable };
}

function presentTimes({ createdAt, updatedAt }: Order) {
  return { create_time: formatTimestamp(createdAt), update_time: formatTimestamp(updatedAt) };
}

/** Writes {@link merchantFields}. */
export function presentMerchantData({ merchantReference, metadata }: Order) {
  return { merchant_reference: merchantReference, metadata };
}

function presentPayment({ order, asset, creditedId, fromAddress }: OrderDetailView) {
  return {
    tx_id: creditedId ?? '',
    tx_type: order.type,
    obtained: asset === null || creditedId === null ? null : formatUnits(order.received, asset.decimals),
    fee: '0',
    from_addr: fromAddress,
  };
}

const contractId = ({ contract }: OrderDetailView): string | null => (contract === '' ? null : contract);

/** Writes an item of the order list. */
export function presentOrder(view: OrderView): z.input<typeof orderSchema> {
  return { ...presentFields(view), ...presentTimes(view.order), ...presentMerchantData(view.order) };
}

/** Writes the record of an order in full. */
export function presentOrderDetail(view: OrderDetailView): z.input<typeof orderDetailSchema> {
  return {
    ...presentOrder(view),
    ...presentPayment(view),
    contract_id: contractId(view),
    to_addr: view.order.payment?.address ?? false,
    tx_hash: view.txids.at(-1) ?? '',
  };
}

/** Writes the order record of a POST callback. */
export function presentCallbackOrder(view: OrderDetailView): z.input<typeof callbackOrderSchema> {
  return {
    ...presentFields(view),
    bind_id: null,
    ...presentTimes(view.order),
    ...presentPayment(view),
    to_addr: view.order.payment?.address ?? null,
    tx_hash: view.txids.at(-1) ?? null,
    tx_hash_list: view.txids,
    contract_id: contractId(view),
    website: null,
    ...presentMerchantData(view.order),
  };
}

/** The fields of {@link callbackOrderSchema} in the query of a GET callback, which come after `event`. */
const QUERY_FIELDS = [
  'order_id',
  'status',
  'chain',
  'currency',
  'amount',
  'vs_price',
  'vs_currency',
  'tx_hash',
  'merchant_reference',
  'metadata',
] as const;

/** A value in a query: an object as JSON, `null` as an empty text. */
function queryText(value: string | null | z.input<typeof callbackOrderSchema>['metadata']): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? '');
}

/** The content of a callback about an order. */
export function callbackContent(event: string, record: z.input<typeof callbackOrderSchema>): CallbackContent {
  const query = QUERY_FIELDS.map((name) => [name, queryText(record[name])] as const);
  return { body: JSON.stringify(record), query: [['event', event], ...query] };
}

/** Writes callbacks in the format of the payment API. */
export const callbackPresenter: CallbackPresenter = {
  present: (event, view) => callbackContent(event, presentCallbackOrder(view)),
};

/** The settings that restrict callback URLs. */
export type CallbackSettings = Pick<HttpSettings, 'allowPrivateNetworks' | 'callbackHosts'>;

/** The four URLs of an order: the payer's browser opens the first two, the till calls the other two. */
export function linkFields({ allowPrivateNetworks, callbackHosts: hosts = null }: CallbackSettings) {
  const callbacks = { allowPrivateNetworks, hosts };
  return {
    succeed_url: merchantUrl('URL to which the payer is redirected after the payment; no redirect if omitted'),
    timeout_url: merchantUrl('URL to which the payer is redirected when the order expires; no redirect if omitted'),
    callback_url: merchantUrl('URL called when the order is paid', callbacks),
    timeout_callback: merchantUrl('URL called when the order expires', callbacks),
  };
}

/** Data that the merchant may store with an order. */
const merchantBodyFields = {
  merchant_reference: merchantReference(),
  metadata: metadata(),
  expires_in: optionalCount(
    "Seconds until the payment deadline, within the limits that the operator sets. Defaults to the operator's setting.",
  ),
};

/** The body fields, besides price and coin, that every way of creating an order has. */
export function commonFields(settings: CallbackSettings) {
  return { ...linkFields(settings), ...merchantBodyFields };
}

/** The body fields, besides price and coin, of an order that is paid on a chain. */
export function optionFields(settings: CallbackSettings) {
  return {
    ...commonFields(settings),
    tolerance_bps: optionalCount(
      "Underpayment that still counts as paid, in basis points (1/100 of a percent) of the amount due, within the limits that the operator sets. Defaults to the operator's setting.",
    ),
    fixed_encrypt_price: flag('Values stablecoins at exactly 1 USD'),
    enable_post_callback: flag('Sends callbacks as POST requests with the order in the body'),
  };
}

type Fields<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

/** Reads the URLs of a body. */
function linksOf(body: Fields<ReturnType<typeof linkFields>>): NewOrderInput['links'] {
  return {
    succeedUrl: body.succeed_url,
    timeoutUrl: body.timeout_url,
    callbackUrl: body.callback_url,
    timeoutCallback: body.timeout_callback,
  };
}

/** Reads {@link commonFields} of a body. */
export function commonOptionsOf(body: Fields<ReturnType<typeof commonFields>>) {
  return {
    links: linksOf(body),
    merchantReference: body.merchant_reference,
    metadata: body.metadata,
    expiresInMs: body.expires_in === undefined ? undefined : body.expires_in * 1000,
  } satisfies NewOrderInput;
}

/** Reads {@link optionFields} of a body. */
export function optionsOf(body: Fields<ReturnType<typeof optionFields>>): NewOrderInput {
  return {
    ...commonOptionsOf(body),
    toleranceBps: body.tolerance_bps,
    fixedEncryptPrice: body.fixed_encrypt_price,
    enablePostCallback: body.enable_post_callback,
  };
}

/** The example in the OpenAPI document: an order of 25 USD paid in USDT on Ethereum. */
export const orderExample = {
  user_id: '1530217733410816000',
  order_id: '1530217733414232064',
  order_type: 'ORDER',
  platform: 'API',
  status: 'SUCCESS',
  chain: 'ETH',
  chain_name: 'Ethereum',
  currency: 'USDT-ERC20',
  amount: '25',
  vs_price: '25',
  vs_currency: 'USD',
  remark: '',
  refund: true,
  create_time: '2026-05-04T12:00:00',
  update_time: '2026-05-04T12:03:10',
  merchant_reference: 'invoice 2026-0042',
  metadata: { cart: '7c1f' },
} as const satisfies z.output<typeof orderSchema>;

export const detailExample = {
  ...orderExample,
  tx_id: '1530218521990275072',
  tx_type: 'ORDER',
  obtained: '25',
  fee: '0',
  from_addr: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  to_addr: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  tx_hash: '0x5b9a3a1c7f0e4a6f2d8e1b3c5d7f9a0b2c4e6f8091a3b5c7d9e1f30517293b4d',
  contract_id: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
} as const satisfies z.output<typeof orderDetailSchema>;
