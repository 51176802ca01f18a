import { FIATS, ORDER_STATUSES } from '../../core/index.ts';
import { z } from 'zod';

/** A decimal that is exact as text in here and a JSON number on the wire. */
const decimalNumber = (description: string) => z.string().meta({ type: 'number', description });
const decimal = (description: string) => z.string().meta({ pattern: '^(\\d+(\\.\\d+)?)?$', description });
const timestamp = (description: string) =>
  z.string().meta({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$', description: `${description}, UTC` });
const id = (description: string) => z.string().meta({ pattern: '^\\d{18,19}$', description });
const status = z.string().meta({ enum: [...ORDER_STATUSES], description: 'Order status' });

const orderFields = {
  user_id: id('The owner of the order'),
  order_id: id('The order'),
  order_type: z.string().meta({ enum: ['ORDER', 'INVOICE'] }),
  platform: z.string().meta({ enum: ['API', 'CHECKOUT', 'DASHBOARD'] }),
  status,
  chain: z.string().meta({ description: 'Chain code; empty until the payer chose a coin' }),
  chain_name: z.string(),
  currency: z.string(),
  amount: decimal('Crypto amount; empty until the payer chose a coin'),
  vs_price: decimal('Fiat price'),
  vs_currency: z.string(),
  remark: z.string(),
  refund: z.boolean().meta({ description: 'True when Orders Refund would be accepted now' }),
  create_time: timestamp('Creation'),
  update_time: timestamp('Last update'),
};

/** An item of the order list (specification, "Order"). */
export const orderSchema = z.object(orderFields).meta({ id: 'Order' });

/** Get Orders Details (specification, "Order"). */
export const orderDetailSchema = z
  .object({
    ...orderFields,
    tx_id: z.string(),
    tx_type: z.string(),
    obtained: z.string().nullable(),
    fee: z.string(),
    from_addr: z.string().nullable(),
    to_addr: z
      .union([z.literal(false), z.string()])
      .meta({ description: 'The deposit address; false when there is none' }),
    tx_hash: z.string(),
    contract_id: z.string().nullable(),
  })
  .meta({ id: 'OrderDetail' });

/** Get Payment Info (specification, "Pay-info result"). */
export const payInfoSchema = z
  .object({
    order_id: id('The order'),
    status,
    amount: decimalNumber('Crypto amount, exact as a double'),
    create_time: timestamp('Creation'),
    vs_currency: z.string(),
    vs_price: decimalNumber('Fiat price'),
    address: z.string().meta({ description: 'Deposit address' }),
    contract_addr: z.string().meta({ description: 'Token contract; empty for a native coin' }),
    pay_url: z.string().meta({ description: 'Checkout link' }),
  })
  .meta({ id: 'PayInfo' });

/** A row of the transaction list (specification, "Transaction"). */
export const transactionSchema = z
  .object({
    user_id: id('The owner'),
    tx_id: z.string(),
    tx_type: z.string().meta({ enum: ['ORDER', 'INVOICE', 'WITHDRAW', 'SWAP', 'REFUND'] }),
    status: z.string().meta({ enum: ['PENDING', 'SUCCESS', 'FAILED'] }),
    chain: z.string(),
    currency: z.string(),
    amount: decimal('What moved'),
    obtained: decimal('What arrived'),
    fee: decimal('Fee'),
    from_addr: z.string(),
    to_addr: z.string(),
    tx_hash: z.string().nullable(),
    event_time: timestamp('When it happened'),
  })
  .meta({ id: 'Transaction' });

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
    refund_status: z.enum(['PENDING', 'SUCCESS', 'TERMINATED']).meta({ description: 'TERMINATED when it could not be paid' }),
    refund_amount: decimalNumber('The same as amount'),
    refund_date: timestamp('When it was final; null until then').nullable(),
  })
  .meta({ id: 'Refund' });

/** The answer of a withdrawal (decisions, section 5). */
export const withdrawalSchema = z
  .object({
    user_id: id('The owner'),
    tx_id: id('The withdrawal, as in the transaction list'),
    type: z.literal('WITHDRAW'),
    status: z.enum(['PENDING', 'SUCCESS', 'FAILED']),
    chain: z.string(),
    currency: z.string(),
    amount: decimal('What leaves the balance; the fee comes out of it'),
    fee: decimal('The fee, in the same currency; an estimate until it is signed'),
    obtained: decimal('What arrives'),
    balance: decimal('What is left to withdraw'),
    to_addr: z.string(),
    tx_hash: z.string().nullable(),
    update_time: timestamp('Last change'),
  })
  .meta({ id: 'Withdrawal' });

/** A Lightning order (specification, "Lightning order result"). */
export const lightningOrderSchema = z
  .object({
    order_id: id('The order'),
    status,
    currency: z.string(),
    amount: decimal('What is due, in bitcoin with up to 11 decimals'),
    create_time: timestamp('Creation time'),
    payment_request: z.string().meta({ description: 'The BOLT11 invoice to be paid' }),
    payment_addr: z.string().meta({ description: "The invoice's payment secret, in hexadecimal digits" }),
    pay_url: z.string().meta({ description: 'Checkout link' }),
  })
  .meta({ id: 'LightningOrder' });

/** A withdrawal over Lightning (specification, "Lightning withdrawal result"). */
export const lightningWithdrawalSchema = z
  .object({
    user_id: id('The owner'),
    tx_id: id('The withdrawal, as in the transaction list'),
    type: z.literal('WITHDRAW'),
    status: z.enum(['PENDING', 'SUCCESS', 'FAILED']),
    chain: z.string(),
    currency: z.string(),
    amount: decimal('What the invoice gets'),
    fee: decimal('What routing cost; the most that it may cost until the payment is settled'),
    balance: decimal('What is left to withdraw'),
    update_time: timestamp('Last change'),
  })
  .meta({ id: 'LightningWithdrawal' });

/** A row of the wallet list (decisions, section 5). */
export const walletSchema = z
  .object({
    chain: z.string(),
    currency: z.string(),
    available: decimal('To be spent now'),
    pending: decimal('Credited, but not spendable yet'),
    locked: decimal('Held by withdrawals and refunds that are under way'),
    total: decimal('All three'),
  })
  .meta({ id: 'Wallet' });

/** A row of the self-custody balances (specification, "Self-custody balance entry"). */
export const selfCustodySchema = z
  .object({ chain: z.string(), currency: z.string(), amount: decimalNumber("What lies on chain at the account's own addresses") })
  .meta({ id: 'SelfCustodyBalance' });

/** What the payer's page asks for again and again (decisions, section 4). */
export const checkoutStateSchema = z
  .object({
    status,
    chain: z.string(),
    currency: z.string(),
    amount: decimal('What is due in all'),
    received: decimal('What was seen'),
    address: z.string(),
    contract_addr: z.string(),
    payment_uri: z.string(),
    confirmations: z.number().meta({ type: 'integer', minimum: 0 }),
    confirmations_required: z.number().meta({ type: 'integer', minimum: 0 }),
    expires_at: timestamp('The deadline'),
    refund_address: z.string().nullable(),
  })
  .meta({ id: 'CheckoutState' });

/** A row of the crypto list (specification, "Crypto currency entry"). */
export const cryptoCurrencySchema = z
  .object({ chain: z.string(), currency: z.string(), status: z.boolean().meta({ description: 'Orders can be made in it now' }) })
  .meta({ id: 'CryptoCurrency' });

/** A row of the fiat list (specification, "Fiat currency entry"). */
export const fiatCurrencySchema = z
  .object({ currency: z.string().meta({ enum: FIATS.map(({ code }) => code) }), name: z.string() })
  .meta({ id: 'FiatCurrency' });

/** A page of a list: four numbers and the items, newest first. */
export function pageSchema<T extends z.ZodType>(name: string, item: T) {
  const whole = (description: string) => z.number().meta({ type: 'integer', minimum: 0, description });
  return z
    .object({
      page: whole('This page, from 1'),
      size: whole('Entries of a page'),
      total: whole('Entries of all pages'),
      max_page: whole('The last page; 0 for an empty list'),
      data: z.array(item).readonly(),
    })
    .meta({ id: name });
}
