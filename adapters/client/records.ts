import type { z } from 'zod';
import type { AmountInput } from '../http/fields.ts';
import type { cryptoCurrencySchema, fiatCurrencySchema } from '../http/operations/currencies.ts';
import type { lightningOrderBody, lightningOrderSchema, lightningWithdrawBody } from '../http/operations/lightning.ts';
import type { accessTokenSchema, loginBody } from '../http/operations/login.ts';
import type { callbackOrderSchema, orderDetailSchema, orderSchema } from '../http/operations/order-record.ts';
import type { payInfoBody, payInfoSchema, payUrlBody, payUrlSchema } from '../http/operations/orders.ts';
import type { refundSchema } from '../http/operations/refunds.ts';
import type { transactionSchema } from '../http/operations/transactions.ts';
import type { selfCustodySchema, walletSchema, withdrawBody } from '../http/operations/wallets.ts';
import type { lightningWithdrawalSchema, withdrawalSchema } from '../http/operations/withdrawal-record.ts';

/** The type that a client reads, from a schema. */
type Read<Schema extends z.ZodType> = Readonly<z.output<Schema>>;
/** The type that a client sends, from a schema. */
type Sent<Schema extends z.ZodType> = Readonly<z.input<Schema>>;

export type { AmountInput };

/**
 * An item of the order list (specification, "Order"); amounts are plain decimals.
 *
 * @interface
 */
export type OrderItem = Read<typeof orderSchema>;
/**
 * Get Orders Details; `to_addr` is `false` while there is no deposit address.
 *
 * @interface
 */
export type OrderDetail = Read<typeof orderDetailSchema>;
/**
 * The body of a POST callback (specification, "Order").
 *
 * @interface
 */
export type CallbackOrder = Read<typeof callbackOrderSchema>;
/**
 * Pay-url result: the checkout link, to send the payer to.
 *
 * @interface
 */
export type PayUrl = Read<typeof payUrlSchema>;
/**
 * Get Payment Info; the numbers are exact as doubles.
 *
 * @interface
 */
export type PayInfo = Read<typeof payInfoSchema>;
/**
 * A row of the transaction list (specification, "Transaction"); amounts are plain decimals.
 *
 * @interface
 */
export type Transaction = Read<typeof transactionSchema>;
/**
 * Refund information, with the fields of both documented shapes; numbers are rounded down to 8 decimals.
 *
 * @interface
 */
export type Refund = Read<typeof refundSchema>;
/**
 * The answer of a withdrawal; amounts are plain decimals.
 *
 * @interface
 */
export type Withdrawal = Read<typeof withdrawalSchema>;
/**
 * A row of Get Wallets List; amounts are plain decimals.
 *
 * @interface
 */
export type Wallet = Read<typeof walletSchema>;
/**
 * What is on chain at the account's own addresses; the number is rounded down to 8 decimals.
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
 * A withdrawal over Lightning: `amount` is what the invoice gets, `fee` the most that routing may cost until it is settled.
 *
 * @interface
 */
export type LightningWithdrawal = Read<typeof lightningWithdrawalSchema>;
/**
 * A row of the crypto list; `status` is true when orders in it are possible now.
 *
 * @interface
 */
export type CryptoCurrency = Read<typeof cryptoCurrencySchema>;
/**
 * A row of the fiat list.
 *
 * @interface
 */
export type FiatCurrency = Read<typeof fiatCurrencySchema>;
/**
 * API key exchange result; `expire` is the lifetime in seconds.
 *
 * @interface
 */
export type AccessToken = Read<typeof accessTokenSchema>;

/**
 * Body of POST /api/order/pay-url: the payer chooses the coin on the checkout page.
 *
 * @interface
 */
export type PayUrlInput = Sent<ReturnType<typeof payUrlBody>>;
/**
 * Body of POST /api/order/pay-info: the coin is fixed by the merchant.
 *
 * @interface
 */
export type PayInfoInput = Sent<ReturnType<typeof payInfoBody>>;
/**
 * Body of POST /api/withdraw: paid to the address that the account registered for the chain.
 *
 * @interface
 */
export type WithdrawInput = Sent<typeof withdrawBody>;
/**
 * Body of POST /api/bln/order; its callbacks are GET requests.
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
 * Body of endpoint 14; `username` is the account's email.
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

/** Which page of a list: `page` from 1, `size` 10 by default, at most 100. */
export interface PageQuery {
  readonly page?: number;
  readonly size?: number;
}
