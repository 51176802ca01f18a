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

// An order in the form that merchants know: requests, replies and callbacks. The types of the client,
// the OpenAPI document and its examples are derived from it.

const orderType = z.enum(['ORDER', 'INVOICE']);

/** What every record of an order begins with, here and in the management API. */
export const commonOrderFields = {
  user_id: id('The owner of the order'),
  order_id: id('The order'),
  order_type: orderType,
  platform: z.enum(['API', 'CHECKOUT', 'DASHBOARD']),
  status: orderStatus,
  chain: z.string().meta({ description: 'Chain code; empty until the payer chose a coin' }),
  chain_name: z.string(),
  currency: z.string(),
  amount: decimal('Crypto amount; empty until the payer chose a coin'),
  vs_price: decimal('Fiat price'),
  vs_currency: z.string(),
};
const orderFields = {
  ...commonOrderFields,
  remark: z.string(),
  refund: z.boolean().meta({ description: 'True when Orders Refund would be accepted now' }),
};
/** What the merchant keeps with the order; after the fields of the specification. */
export const merchantFields = {
  merchant_reference: z.string().nullable().meta({ description: "The merchant's own name of the order" }),
  metadata: z.record(z.string(), z.string()).readonly().meta({ description: "The merchant's own names and texts" }),
};
const times = { create_time: timestamp('Creation'), update_time: timestamp('Last update') };
const paymentFields = {
  tx_id: z.string(),
  tx_type: z.string(),
  obtained: z.string().nullable(),
  fee: z.string(),
  from_addr: z.string().nullable(),
};

/** An item of the order list (specification, "Order"). */
export const orderSchema = z.object({ ...orderFields, ...times, ...merchantFields }).meta({ id: 'Order' });

/** Get Orders Details (specification, "Order"). */
export const orderDetailSchema = z
  .object({
    ...orderFields,
    ...times,
    ...paymentFields,
    to_addr: z
      .union([z.literal(false), z.string()])
      .meta({ description: 'The deposit address; false when there is none' }),
    tx_hash: z.string(),
    contract_id: z.string().nullable(),
    ...merchantFields,
  })
  .meta({ id: 'OrderDetail' });

/** The body of a POST callback (specification, "Order"). */
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

/** The price of an order as a plain decimal of its fiat. */
export function formatPrice({ vsPrice, vsCurrency }: Order): string {
  return formatUnits(vsPrice, present(findFiat(vsCurrency), `fiat ${vsCurrency}`).decimals);
}

/** The values of {@link commonOrderFields}. */
export function presentCommonFields({ order, asset, chainName }: Pick<OrderView, 'order' | 'asset' | 'chainName'>) {
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

/** The values of {@link merchantFields}. */
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

/** An item of the order list. */
export function presentOrder(view: OrderView): z.input<typeof orderSchema> {
  return { ...presentFields(view), ...presentTimes(view.order), ...presentMerchantData(view.order) };
}

/** Get Orders Details. */
export function presentOrderDetail(view: OrderDetailView): z.input<typeof orderDetailSchema> {
  return {
    ...presentOrder(view),
    ...presentPayment(view),
    contract_id: contractId(view),
    to_addr: view.order.payment?.address ?? false,
    tx_hash: view.txids.at(-1) ?? '',
  };
}

/** The body of a POST callback, in the specification's order of fields. */
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

/** The fields of {@link callbackOrderSchema} in the query of a GET callback, after `event` (decisions, section 7). */
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

/** A value in a query: an object as JSON, nothing as an empty text. */
function queryText(value: string | null | z.input<typeof callbackOrderSchema>['metadata']): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? '');
}

/** What a callback sends of an order's record. */
export function callbackContent(event: string, record: z.input<typeof callbackOrderSchema>): CallbackContent {
  const query = QUERY_FIELDS.map((name) => [name, queryText(record[name])] as const);
  return { body: JSON.stringify(record), query: [['event', event], ...query] };
}

/** Writes callbacks as the payment API's merchants receive them. */
export const callbackPresenter: CallbackPresenter = {
  present: (event, view) => callbackContent(event, presentCallbackOrder(view)),
};

/** Where the till may call. */
export type CallbackSettings = Pick<HttpSettings, 'allowPrivateNetworks' | 'callbackHosts'>;

/** The four links of an order: the payer's browser opens the first two, the till itself calls the others. */
export function linkFields({ allowPrivateNetworks, callbackHosts: hosts = null }: CallbackSettings) {
  const callbacks = { allowPrivateNetworks, hosts };
  return {
    succeed_url: merchantUrl('Where the payer goes after completion; without it no redirect happens'),
    timeout_url: merchantUrl('Where the payer goes after the time-out; without it no redirect happens'),
    callback_url: merchantUrl('Called after completion', callbacks),
    timeout_callback: merchantUrl('Called after the time-out', callbacks),
  };
}

/** What the merchant may keep with an order. */
const merchantBodyFields = {
  merchant_reference: merchantReference(),
  metadata: metadata(),
  expires_in: optionalCount(
    "Seconds until the deadline, within the operator's bounds; the operator's setting by default",
  ),
};

/** What every way of creating an order takes besides price and coin. */
export function commonFields(settings: CallbackSettings) {
  return { ...linkFields(settings), ...merchantBodyFields };
}

/** What both ways of creating an order on a chain take besides price and coin. */
export function optionFields(settings: CallbackSettings) {
  return {
    ...commonFields(settings),
    tolerance_bps: optionalCount(
      "How much less than the amount due is taken as paid, in basis points, within the operator's bounds; the operator's setting by default",
    ),
    fixed_encrypt_price: flag('Prices stable coins at exactly 1 USD'),
    enable_post_callback: flag('Callbacks are POST requests with the order in the body'),
  };
}

type Fields<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

/** The links of a body. */
function linksOf(body: Fields<ReturnType<typeof linkFields>>): NewOrderInput['links'] {
  return {
    succeedUrl: body.succeed_url,
    timeoutUrl: body.timeout_url,
    callbackUrl: body.callback_url,
    timeoutCallback: body.timeout_callback,
  };
}

/** The options of a body that every way of creating an order has. */
export function commonOptionsOf(body: Fields<ReturnType<typeof commonFields>>) {
  return {
    links: linksOf(body),
    merchantReference: body.merchant_reference,
    metadata: body.metadata,
    expiresInMs: body.expires_in === undefined ? undefined : body.expires_in * 1000,
  } satisfies NewOrderInput;
}

/** The options of a body. */
export function optionsOf(body: Fields<ReturnType<typeof optionFields>>): NewOrderInput {
  return {
    ...commonOptionsOf(body),
    toleranceBps: body.tolerance_bps,
    fixedEncryptPrice: body.fixed_encrypt_price,
    enablePostCallback: body.enable_post_callback,
  };
}

/** The example of the OpenAPI document: an order of 25 USD paid in USDT on Ethereum. */
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
