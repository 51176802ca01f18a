import type {
  CallbackRecord,
  OrderDetailRecord,
  OrderRecord,
  OrderStatus,
  PayInfoRecord,
  RefundRecord,
  SelfCustodyRecord,
  TransactionRecord,
  TransactionStatus,
  TransactionType,
  WalletRecord,
  WithdrawalRecord,
} from '../../core/index.ts';

/** A record of the core as it is on the wire: some of its fields in another type. */
export type OnTheWire<T, Changes extends Partial<Record<keyof T, unknown>>> = Omit<T, keyof Changes> & { readonly [Field in keyof Changes]: Changes[Field] };

/** An item of the order list (specification, "Order"); amounts are plain decimals. */
export type OrderItem = OnTheWire<OrderRecord, { status: OrderStatus }>;
/** Get Orders Details; `to_addr` is `false` while there is no deposit address. */
export type OrderDetail = OnTheWire<OrderDetailRecord, { status: OrderStatus }>;
/** The body of a POST callback (specification, "Order"). */
export type CallbackOrder = OnTheWire<CallbackRecord, { status: OrderStatus }>;
/** Get Payment Info; the numbers are exact as doubles. */
export type PayInfo = OnTheWire<PayInfoRecord, { status: OrderStatus; amount: number; vs_price: number }>;
/** A row of the transaction list (specification, "Transaction"); amounts are plain decimals. */
export type Transaction = OnTheWire<TransactionRecord, { tx_type: TransactionType; status: TransactionStatus }>;
/** Refund information, with the fields of both documented shapes; numbers are rounded down to 8 decimals. */
export type Refund = OnTheWire<RefundRecord, { amount: number; network_fee: number; obtained: number; refund_amount: number }>;
/** The answer of a withdrawal; amounts are plain decimals. */
export type Withdrawal = WithdrawalRecord;
/** A row of Get Wallets List; amounts are plain decimals. */
export type Wallet = WalletRecord;
/** What lies on chain at the account's own addresses; the number is rounded down to 8 decimals. */
export type SelfCustodyBalance = OnTheWire<SelfCustodyRecord, { amount: number }>;

/** Pay-url result. */
export interface PayUrl {
  /** The checkout link, to send the payer to. */
  readonly pay_url: string;
}

/** A row of the crypto list; `status` is true when orders can be made in it now. */
export interface CryptoCurrency {
  readonly chain: string;
  readonly currency: string;
  readonly status: boolean;
}

/** A row of the fiat list. */
export interface FiatCurrency {
  readonly currency: string;
  readonly name: string;
}

/** API key exchange result; `expire` is the lifetime in seconds. */
export interface AccessToken {
  readonly access_token: string;
  readonly expire: number;
}

/** A page of a list, newest first; `max_page` is 0 for an empty list. */
export interface ListPage<T> {
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly max_page: number;
  readonly data: readonly T[];
}

/** Which page of a list: `page` from 1, `size` 10 unless told otherwise, at most what the till allows (100). */
export interface PageQuery {
  readonly page?: number;
  readonly size?: number;
}

/** An amount of a request: a number, or a plain decimal in a string, which the till reads digit by digit. */
export type AmountInput = number | string;

/** What either kind of order may be told (specification, "Body of POST /api/order/pay-url"). */
export interface OrderLinksInput {
  /** Where the payer goes after completion. */
  readonly succeed_url?: string;
  /** Where the payer goes after the time-out. */
  readonly timeout_url?: string;
  /** Called after completion; see {@link verifyCallback}. */
  readonly callback_url?: string;
  /** Called after the time-out. */
  readonly timeout_callback?: string;
  /** Prices stable coins at exactly 1 USD. */
  readonly fixed_encrypt_price?: boolean;
  /** Callbacks are POST requests with the order in the body; GET otherwise. */
  readonly enable_post_callback?: boolean;
}

/** Body of POST /api/order/pay-url: the payer chooses the coin on the checkout page. */
export interface PayUrlInput extends OrderLinksInput {
  /** Fiat amount. */
  readonly price: AmountInput;
  /** Fiat code. */
  readonly currency: string;
}

/** Body of POST /api/order/pay-info: the coin is fixed by the merchant. */
export interface PayInfoInput extends OrderLinksInput {
  readonly chain: string;
  /** Crypto currency code, `USDT-ERC20`. */
  readonly currency: string;
  /** Fiat code. */
  readonly vs_currency: string;
  /** Fiat amount. */
  readonly vs_price: AmountInput;
}

/** Body of POST /api/withdraw: paid to the address that the account registered for the chain. */
export interface WithdrawInput {
  /** What leaves the balance; the network's fee comes out of it. */
  readonly amount: AmountInput;
  readonly chain: string;
  readonly currency: string;
  /** A Lightning invoice; required on BLN. */
  readonly ln_invoices?: string;
  /** A code of the second factor; required on BLN, and where the account demands it. */
  readonly verify_code?: string;
}

/** Body of POST /api/bln/order; its callbacks are GET requests. */
export interface LightningOrderInput {
  /** Fiat amount. */
  readonly price: AmountInput;
  /** Fiat code. */
  readonly currency: string;
  /** Where the payer goes after completion. */
  readonly succeed_url?: string;
  /** Where the payer goes after the time-out. */
  readonly timeout_url?: string;
  /** Called after completion. */
  readonly callback_url?: string;
  /** Called after the time-out. */
  readonly timeout_callback?: string;
}

/** An order that is paid over Lightning. */
export interface LightningOrder {
  readonly order_id: string;
  readonly status: OrderStatus;
  readonly currency: string;
  /** In bitcoin, up to 11 decimals. */
  readonly amount: string;
  readonly create_time: string;
  /** The BOLT11 invoice to be paid. */
  readonly payment_request: string;
  /** The invoice's payment secret, in hexadecimal digits. */
  readonly payment_addr: string;
  readonly pay_url: string;
}

/** Body of POST /api/bln/withdraw. */
export interface LightningWithdrawInput {
  /** The BOLT11 invoice to pay. */
  readonly ln_invoices: string;
  /** In bitcoin, up to 11 decimals; only for an invoice without an amount, or equal to it. */
  readonly amount?: AmountInput;
  /** A code of the second factor, where the account demands it for withdrawals. */
  readonly verify_code?: string;
}

/** A withdrawal over Lightning. */
export interface LightningWithdrawal {
  readonly user_id: string;
  readonly tx_id: string;
  readonly type: 'WITHDRAW';
  readonly status: 'PENDING' | 'SUCCESS' | 'FAILED';
  readonly chain: string;
  readonly currency: string;
  /** What the invoice gets. */
  readonly amount: string;
  /** What routing cost; until the payment is settled, the most that it may cost. */
  readonly fee: string;
  readonly balance: string;
  readonly update_time: string;
}

/** Body of endpoint 14. */
export interface LoginInput {
  /** The account's email. */
  readonly username: string;
  readonly password: string;
}
