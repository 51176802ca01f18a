import type { z } from 'zod';
import type { AmountInput } from '../http/fields.ts';
import type { cryptoCurrencySchema, fiatCurrencySchema } from '../http/operations/currencies.ts';
import type { lightningOrderBody, lightningOrderSchema, lightningWithdrawBody } from '../http/operations/lightning.ts';
import type { accessTokenSchema, loginBody } from '../http/operations/login.ts';
import type { callbackOrderSchema, orderDetailSchema, orderSchema } from '../http/operations/order-record.ts';
import type { payInfoBody, payInfoSchema, payUrlBody, payUrlSchema } from '../http/operations/orders.ts';
import type { refundBody, refundSchema } from '../http/operations/refunds.ts';
import type { transactionSchema } from '../http/operations/transactions.ts';
import type { selfCustodySchema, walletSchema, withdrawBody } from '../http/operations/wallets.ts';
import type { lightningWithdrawalSchema, withdrawalSchema } from '../http/operations/withdrawal-record.ts';

/** The type that a client reads, from a schema. */
type Read<Schema extends z.ZodType> = Readonly<z.output<Schema>>;
/** The type that a client sends, from a schema. */
type Sent<Schema extends z.ZodType> = Readonly<z.input<Schema>>;

export type { AmountInput };

/**
 * An item of the order list; amounts are plain decimals.
 *
 * @interface
 */
export type OrderItem = Read<typeof orderSchema>;
/**
 * An order in full; `to_addr` is `false` while there is no deposit address.
 *
 * @interface
 */
export type OrderDetail = Read<typeof orderDetailSchema>;
/**
 * The body of a POST callback.
 *
 * @interface
 */
export type CallbackOrder = Read<typeof callbackOrderSchema>;
/**
 * A hosted order: the URL of the checkout page for the payer.
 *
 * @interface
 */
export type PayUrl = Read<typeof payUrlSchema>;
/**
 * A new order in a given coin; the numbers are exact as doubles.
 *
 * @interface
 */
export type PayInfo = Read<typeof payInfoSchema>;
/**
 * A row of the transaction list; amounts are plain decimals.
 *
 * @interface
 */
export type Transaction = Read<typeof transactionSchema>;
/**
 * A refund, with the fields of both documented shapes. Numbers are rounded down to 8 decimals.
 *
 * @interface
 */
export type Refund = Read<typeof refundSchema>;
/**
 * The body of a refund request.
 *
 * @interface
 */
export type RefundInput = Sent<typeof refundBody>;
/**
 * A withdrawal; amounts are plain decimals.
 *
 * @interface
 */
export type Withdrawal = Read<typeof withdrawalSchema>;
/**
 * The balance in one currency; amounts are plain decimals.
 *
 * @interface
 */
export type Wallet = Read<typeof walletSchema>;
/**
 * A balance on chain at the account's own addresses; the number is rounded down to 8 decimals.
 *
 * @interface
 */
export type SelfCustodyBalance = Read<typeof selfCustodySchema>;
/**
 * An order that is paid over Lightning; its amount is in bitcoin, with up to 11 decimals.
 *
 * @interface
 */
export type LightningOrder = Read<typeof lightningOrderSchema>;
/**
 * A withdrawal over Lightning. `amount` is what the payee of the invoice receives; `fee` is the maximum routing fee
 * until the payment is settled.
 *
 * @interface
 */
export type LightningWithdrawal = Read<typeof lightningWithdrawalSchema>;
/**
 * A row of the list of crypto currencies; `status` tells whether orders can currently be created in it.
 *
 * @interface
 */
export type CryptoCurrency = Read<typeof cryptoCurrencySchema>;
/**
 * A row of the list of fiat currencies.
 *
 * @interface
 */
export type FiatCurrency = Read<typeof fiatCurrencySchema>;
/**
 * An access token; `expire` is its lifetime in seconds.
 *
 * @interface
 */
export type AccessToken = Read<typeof accessTokenSchema>;

/**
 * The body of POST /api/order/pay-url; the payer chooses the coin on the checkout page.
 *
 * @interface
 */
export type PayUrlInput = Sent<ReturnType<typeof payUrlBody>>;
/**
 * The body of POST /api/order/pay-info; the merchant chooses the coin.
 *
 * @interface
 */
export type PayInfoInput = Sent<ReturnType<typeof payInfoBody>>;
/**
 * The body of POST /api/withdraw; the withdrawal goes to the address that the account registered for the chain.
 *
 * @interface
 */
export type WithdrawInput = Sent<typeof withdrawBody>;
/**
 * The body of POST /api/bln/order; its callbacks are GET requests.
 *
 * @interface
 */
export type LightningOrderInput = Sent<ReturnType<typeof lightningOrderBody>>;
/**
 * Body of POST /api/bln/withdraw.
 *
 * @interface
 */
export type LightningWithdrawInput = Sent<typeof lightningWithdrawBody>;
/**
 * Body of the login; `username` is the account's email.
 *
 * @interface
 */
export type LoginInput = Sent<typeof loginBody>;

/** A page of a list, newest first; `max_page` is 0 for an empty list. */
export interface ListPage<T> {
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly max_page: number;
  readonly data: readonly T[];
}

/** Selects a page of a list: `page` starts at 1; `size` is 10 by default and at most 100. */
export interface PageQuery {
  readonly page?: number;
  readonly size?: number;
}
