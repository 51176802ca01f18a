// Written by `npm run generate` from the operations of the HTTP edge; do not change it by hand.
import type { CallOptions, CallTable, WriteOptions } from './transport.ts';

export interface AdmissionLimits {
  readonly requestsPerSecond: number | null;
  readonly burst: number | null;
  readonly concurrency: number | null;
}

export interface Alert {
  /** ID of the alert. */
  readonly id: string;
  /** Kind of alert, as in the metric tillgate_alerts_total. */
  readonly kind: string;
  readonly subject: string;
  /** Latest reason. */
  readonly reason: string;
  readonly status: 'OPEN' | 'ACKNOWLEDGED';
  /** Time at which it was first raised. */
  readonly firstRaisedAt: string;
  /** Time at which it was last raised. */
  readonly lastRaisedAt: string;
  /** Number of times it was raised while open. */
  readonly count: number;
  /** Time at which an admin acknowledged it. */
  readonly acknowledgedAt: string | null;
  /** Null if it was acknowledged at the command line. */
  readonly acknowledgedBy: string | null;
}

export interface App {
  /** ID of the App. */
  readonly id: string;
  /** ID of the account that owns the App. */
  readonly account: string;
  readonly name: string;
  readonly enabled: boolean;
  /** Version of the record; send it in If-Match to change the record. */
  readonly version: number;
  readonly chains: readonly Chain[];
  /** Admission mode that is applied if it is stricter than the mode of the gateway; null for the mode of the gateway. */
  readonly admissionMode: 'disabled' | 'shadow' | 'enforce' | null;
  readonly limits: AdmissionLimits;
  /** Units that the App may use of all gateways together; null for no limit. */
  readonly quota: {
    readonly units: number;
    /** Calendar period in UTC. */
    readonly window: 'day' | 'month';
  } | null;
  /** Whether the App can use only units that were bought for it. */
  readonly prepaid: boolean;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  readonly providerId: string | null;
}

export interface AppList {
  readonly items: readonly ListedApp[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface AppUsage {
  readonly rows: readonly {
    /** Start of the hour or day, with `by=hour` or `by=day`. */
    readonly at: string | null;
    /** Host of the gateway, with `by=route`. */
    readonly route: string | null;
    /** Method, with `by=method`; `other` combines all methods that the gateway does not know. */
    readonly method: string | null;
    /** Number of calls; each call of a batch counts. */
    readonly requests: number;
    /** Units charged for the calls. */
    readonly units: number;
    /** Calls that were refused or answered with an HTTP status of 400 or above. */
    readonly errors: number;
    /** Bytes in request bodies. */
    readonly bytesIn: number;
    /** Bytes in response bodies. */
    readonly bytesOut: number;
  }[];
}

export interface Callback {
  /** ID of the callback. */
  readonly id: string;
  /** ID of the account; null for an event of the till's own handlers. */
  readonly account: string | null;
  /** ID of the order whose callback URL is called. */
  readonly order: string | null;
  /** ID of the webhook endpoint that receives the event. */
  readonly webhook: string | null;
  readonly event:
    | 'order.created'
    | 'order.succeeded'
    | 'order.timeout'
    | 'order.terminated'
    | 'order.refunded'
    | 'refund.requested'
    | 'refund.succeeded'
    | 'refund.failed'
    | 'withdrawal.requested'
    | 'withdrawal.held'
    | 'withdrawal.succeeded'
    | 'withdrawal.failed'
    | 'payout.requested'
    | 'payout.held'
    | 'payout.succeeded'
    | 'payout.failed'
    | 'claim.requested'
    | 'claim.approved'
    | 'claim.rejected'
    | 'deposit.seen'
    | 'deposit.credited'
    | 'deposit.spendable'
    | 'deposit.orphaned'
    | 'deposit.unassigned'
    | 'security.changed'
    | 'security.pending'
    | 'alert.raised'
    | 'webhook.test';
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly status: 'PENDING' | 'DELIVERED' | 'DEAD';
  /** Number of attempts so far. */
  readonly attempts: number;
  /** Time of the next attempt. */
  readonly nextAttemptAt: string | null;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of delivery. */
  readonly deliveredAt: string | null;
}

export interface CallbackDetail {
  /** ID of the callback. */
  readonly id: string;
  /** ID of the account; null for an event of the till's own handlers. */
  readonly account: string | null;
  /** ID of the order whose callback URL is called. */
  readonly order: string | null;
  /** ID of the webhook endpoint that receives the event. */
  readonly webhook: string | null;
  readonly event:
    | 'order.created'
    | 'order.succeeded'
    | 'order.timeout'
    | 'order.terminated'
    | 'order.refunded'
    | 'refund.requested'
    | 'refund.succeeded'
    | 'refund.failed'
    | 'withdrawal.requested'
    | 'withdrawal.held'
    | 'withdrawal.succeeded'
    | 'withdrawal.failed'
    | 'payout.requested'
    | 'payout.held'
    | 'payout.succeeded'
    | 'payout.failed'
    | 'claim.requested'
    | 'claim.approved'
    | 'claim.rejected'
    | 'deposit.seen'
    | 'deposit.credited'
    | 'deposit.spendable'
    | 'deposit.orphaned'
    | 'deposit.unassigned'
    | 'security.changed'
    | 'security.pending'
    | 'alert.raised'
    | 'webhook.test';
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly status: 'PENDING' | 'DELIVERED' | 'DEAD';
  /** Number of attempts so far. */
  readonly attempts: number;
  /** Time of the next attempt. */
  readonly nextAttemptAt: string | null;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of delivery. */
  readonly deliveredAt: string | null;
  readonly body: string | null;
  readonly log: readonly {
    /** Time of the attempt. */
    readonly at: string;
    /** Duration in milliseconds. */
    readonly durationMs: number;
    readonly httpStatus: number | null;
    readonly error: string | null;
  }[];
}

export interface CallbackList {
  readonly items: readonly Callback[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface Chain {
  readonly code: string;
  readonly name: string;
  /** Null while no gateway serves the chain. */
  readonly network: string | null;
  readonly protocol: 'jsonrpc' | 'http' | 'websocket' | null;
  readonly host: string | null;
  readonly enabled: boolean;
}

export interface Claim {
  /** ID of the claim. */
  readonly id: string;
  /** ID of the pull payment. */
  readonly pullPayment: string;
  /** ID of the account that pays. */
  readonly account: string;
  /** waiting: it is approved, and its payment waits for `notBefore` or is held; in_progress: its payment is made. */
  readonly state: 'awaiting_approval' | 'waiting' | 'in_progress' | 'completed' | 'failed' | 'rejected';
  /** Currency of the pull payment. */
  readonly currency: string;
  /** Amount claimed, in the currency of the pull payment. */
  readonly amount: string;
  readonly chain: string;
  /** Coin in which it is paid. */
  readonly coin: string;
  /** Amount taken from the balance, in the coin. */
  readonly coinAmount: string;
  /** Network fee, taken from the amount; an estimate until the payment is signed, null before it is approved. */
  readonly fee: string | null;
  /** Amount that the payee receives; null before it is approved. */
  readonly received: string | null;
  readonly toAddress: string;
  /** Reason why it was rejected, failed or is held. */
  readonly reason: string | null;
  /** ID of the payout that pays it. */
  readonly payout: string | null;
  /** Time before which it is not paid, unless another person approves it. */
  readonly notBefore: string | null;
  readonly txHash: string | null;
  /** Time of the claim. */
  readonly createdAt: string;
  /** Time at which it was approved or rejected. */
  readonly decidedAt: string | null;
}

export interface ClaimList {
  readonly items: readonly Claim[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface Deposit {
  /** ID of the deposit. */
  readonly id: string;
  /** ID of the order; for an unassigned deposit, the order to which the address was given. */
  readonly order: string;
  /** ID of the account of that order. */
  readonly account: string;
  readonly chain: string;
  readonly coin: string;
  /** Amount received. */
  readonly amount: string;
  /** Cost of failed attempts to return the deposit; only the rest can be assigned or returned. */
  readonly returnCost: string;
  /** A deposit can be assigned once it is CREDITED, and returned once it is SPENDABLE. */
  readonly status: 'SEEN' | 'CREDITED' | 'SPENDABLE' | 'ORPHANED' | 'DUST';
  readonly assignment: 'ORDER' | 'UNASSIGNED' | 'RETURNING' | 'RETURNED';
  /** late: received after the order's watch window; before-address: older than the order; unexplained: found by comparing the balance of the address, so it may be older than the order. */
  readonly unassignedReason: 'late' | 'before-address' | 'unexplained' | null;
  readonly txHash: string;
  /** Height of the block that contains it. */
  readonly blockHeight: number;
  /** Null if the sender is unknown or there are several. */
  readonly fromAddress: string | null;
  readonly toAddress: string;
  /** Time at which it was first seen. */
  readonly seenAt: string;
  /** Time of the payment. */
  readonly paidAt: string;
}

export interface FiatCurrency {
  readonly currency:
    | 'USD'
    | 'EUR'
    | 'CNY'
    | 'GBP'
    | 'AUD'
    | 'CAD'
    | 'JPY'
    | 'HKD'
    | 'INR'
    | 'ZAR'
    | 'TWD'
    | 'KRW'
    | 'THB'
    | 'NZD'
    | 'SGD'
    | 'AED'
    | 'ARS'
    | 'BDT'
    | 'BHD'
    | 'BMD'
    | 'BRL'
    | 'CHF'
    | 'CLP'
    | 'CZK'
    | 'DKK'
    | 'HUF'
    | 'IDR'
    | 'ILS'
    | 'KWD'
    | 'LKR'
    | 'MMK'
    | 'MXN'
    | 'MYR'
    | 'NGN'
    | 'NOK'
    | 'PHP'
    | 'PKR'
    | 'PLN'
    | 'RUB'
    | 'SAR'
    | 'SEK'
    | 'TRY'
    | 'UAH'
    | 'VEF'
    | 'VND'
    | 'XDR'
    | 'XAG'
    | 'XAU';
  readonly name: string;
}

export interface ListedApp {
  /** ID of the App. */
  readonly id: string;
  /** ID of the account that owns the App. */
  readonly account: string;
  readonly name: string;
  readonly enabled: boolean;
  /** Version of the record; send it in If-Match to change the record. */
  readonly version: number;
  readonly chains: readonly Chain[];
  /** Admission mode that is applied if it is stricter than the mode of the gateway; null for the mode of the gateway. */
  readonly admissionMode: 'disabled' | 'shadow' | 'enforce' | null;
  readonly limits: AdmissionLimits;
  /** Units that the App may use of all gateways together; null for no limit. */
  readonly quota: {
    readonly units: number;
    /** Calendar period in UTC. */
    readonly window: 'day' | 'month';
  } | null;
  /** Whether the App can use only units that were bought for it. */
  readonly prepaid: boolean;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
}

export interface ListedPayout {
  /** ID of the payout; for a withdrawal or refund also the ID of its transaction. */
  readonly id: string;
  /** sweep, gas and cold move funds between addresses of the till; return pays back an unassigned deposit; charge executes the authorization of an x402 payer. */
  readonly kind: 'withdrawal' | 'refund' | 'payout' | 'sweep' | 'gas' | 'cold' | 'return' | 'charge';
  /** HELD: waits for approval. */
  readonly status: 'HELD' | 'REQUESTED' | 'SIGNED' | 'BROADCAST' | 'CONFIRMED' | 'FAILED';
  /** ID of the account whose balance pays. */
  readonly account: string | null;
  /** ID of the order that is refunded, or that the x402 charge pays. */
  readonly order: string | null;
  /** ID of the account that requested it here; null for requests of the payment API and for payouts of the till. */
  readonly requestedBy: string | null;
  /** ID of the unassigned deposit that is returned. */
  readonly deposit: string | null;
  readonly chain: string;
  readonly coin: string;
  /** Amount taken from the balance. */
  readonly amount: string;
  /** Fee in the same coin; an estimate until the payment is signed. */
  readonly fee: string;
  /** Maximum fee; the payout waits while the network demands more. */
  readonly maxFee: string;
  /** Amount that the recipient receives. */
  readonly received: string;
  readonly fromAddress: string;
  readonly toAddress: string;
  /** Reason why it failed or waits. */
  readonly reason: string | null;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  /** Time at which it was paid or failed. */
  readonly finishedAt: string | null;
  /** Null until there is one. For payouts of the till it is in `chainTransaction`. */
  readonly txHash: string | null;
}

export interface Order {
  /** ID of the order. */
  readonly id: string;
  /** ID of the account that owns the order. */
  readonly account: string;
  readonly type: 'ORDER' | 'INVOICE';
  readonly platform: 'API' | 'CHECKOUT' | 'DASHBOARD';
  /** Order status. */
  readonly status: 'PENDING' | 'OVERDUE' | 'SUCCESS' | 'RESOLVED' | 'PARTIAL' | 'TERMINATED' | 'REFUNDED';
  /** Price in the fiat currency. */
  readonly price: string;
  /** Fiat currency code, such as EUR. */
  readonly currency: string;
  /** Null until the payer has chosen a coin. */
  readonly payment: {
    /** Chain code, such as ETH. */
    readonly chain: string;
    readonly chainName: string;
    /** Currency code of the coin, such as USDT-ERC20. */
    readonly coin: string;
    /** Amount due in the coin. */
    readonly amount: string;
    /** Deposit address or Lightning invoice. */
    readonly address: string;
  } | null;
  /** Null until something is credited. */
  readonly received: string | null;
  /** Amount refunded in the coin, by refunds that are paid. */
  readonly refundedAmount: string;
  /** Amount received in the coin that is neither refunded nor being refunded. */
  readonly refundableAmount: string;
  /** Note of the person who created the order. */
  readonly remark: string;
  /** Underpayment that still counts as paid, in basis points (1/100 of a percent). */
  readonly toleranceBps: number;
  /** Your own reference for the order. */
  readonly merchantReference: string | null;
  /** Your own key-value pairs. */
  readonly metadata: Readonly<Record<string, string>>;
  /** What was bought with a payment link that has items or tips; else null. */
  readonly cart: {
    readonly lines: readonly {
      /** ID of the item of the payment link. */
      readonly item: string;
      readonly name: string;
      /** Price of one. */
      readonly price: string;
      /** Number of this item. */
      readonly quantity: number;
    }[];
    /** Part of the price of the order that is a tip. */
    readonly tip: string;
  } | null;
  /** URL of the checkout page. */
  readonly payUrl: string;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  /** Payment deadline. */
  readonly expiresAt: string;
}

export interface OrderDetail {
  /** ID of the order. */
  readonly id: string;
  /** ID of the account that owns the order. */
  readonly account: string;
  readonly type: 'ORDER' | 'INVOICE';
  readonly platform: 'API' | 'CHECKOUT' | 'DASHBOARD';
  /** Order status. */
  readonly status: 'PENDING' | 'OVERDUE' | 'SUCCESS' | 'RESOLVED' | 'PARTIAL' | 'TERMINATED' | 'REFUNDED';
  /** Price in the fiat currency. */
  readonly price: string;
  /** Fiat currency code, such as EUR. */
  readonly currency: string;
  /** Null until the payer has chosen a coin. */
  readonly payment: {
    /** Chain code, such as ETH. */
    readonly chain: string;
    readonly chainName: string;
    /** Currency code of the coin, such as USDT-ERC20. */
    readonly coin: string;
    /** Amount due in the coin. */
    readonly amount: string;
    /** Deposit address or Lightning invoice. */
    readonly address: string;
  } | null;
  /** Null until something is credited. */
  readonly received: string | null;
  /** Amount refunded in the coin, by refunds that are paid. */
  readonly refundedAmount: string;
  /** Amount received in the coin that is neither refunded nor being refunded. */
  readonly refundableAmount: string;
  /** Note of the person who created the order. */
  readonly remark: string;
  /** Underpayment that still counts as paid, in basis points (1/100 of a percent). */
  readonly toleranceBps: number;
  /** Your own reference for the order. */
  readonly merchantReference: string | null;
  /** Your own key-value pairs. */
  readonly metadata: Readonly<Record<string, string>>;
  /** What was bought with a payment link that has items or tips; else null. */
  readonly cart: {
    readonly lines: readonly {
      /** ID of the item of the payment link. */
      readonly item: string;
      readonly name: string;
      /** Price of one. */
      readonly price: string;
      /** Number of this item. */
      readonly quantity: number;
    }[];
    /** Part of the price of the order that is a tip. */
    readonly tip: string;
  } | null;
  /** URL of the checkout page. */
  readonly payUrl: string;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  /** Payment deadline. */
  readonly expiresAt: string;
  /** Refund address that the payer entered. */
  readonly refundAddress: string | null;
  /** Whether a refund of all that is left to that address would currently be accepted. */
  readonly refundable: boolean;
  /** Sender of the whole payment, to which a refund with `to: "sender"` would be paid. null if the sender is unknown, if the payer entered a refund address, or if there is nothing to refund. */
  readonly refundSender: string | null;
  /** Value of the payments in the order's fiat currency; null until something is received. */
  readonly worth: {
    /** At the rate of the order. */
    readonly agreed: string;
    /** With late payments at the rate at which they were first seen; null if one of those rates is unknown. */
    readonly seen: string | null;
  } | null;
  /** Payments in blocks, in the order in which they were seen; the newest 100 if there are more. */
  readonly transactions: readonly Deposit[];
  /** Payments that are not mined yet. */
  readonly unconfirmed: readonly {
    readonly chain: string;
    readonly coin: string;
    /** Amount of the payment. */
    readonly amount: string;
    readonly txHash: string;
    /** Time at which it was first seen. */
    readonly seenAt: string;
  }[];
  readonly callbacks: readonly Callback[];
  /** Refunds, failed ones too, oldest first; the newest 100 if there are more. */
  readonly refunds: readonly {
    /** ID of the refund. */
    readonly id: string;
    readonly status: 'HELD' | 'REQUESTED' | 'SIGNED' | 'BROADCAST' | 'CONFIRMED' | 'FAILED';
    /** Amount taken from the balance. */
    readonly amount: string;
    /** Fee in the same currency; an estimate until the payment is signed. */
    readonly fee: string;
    /** Amount that the payer receives. */
    readonly received: string;
    readonly toAddress: string;
    /** Time of creation. */
    readonly createdAt: string;
    /** Time at which it was paid or failed. */
    readonly finishedAt: string | null;
  }[];
}

export interface OrderList {
  readonly items: readonly Order[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface Transaction {
  /** ID of the transaction; for a withdrawal or refund also the ID of the payout. */
  readonly id: string;
  /** ID of the account. */
  readonly account: string;
  readonly type: 'ORDER' | 'INVOICE' | 'WITHDRAW' | 'SWAP' | 'REFUND' | 'PAYOUT';
  readonly status: 'PENDING' | 'SUCCESS' | 'FAILED';
  /** ID of the order that was paid or refunded. */
  readonly order: string | null;
  readonly chain: string;
  readonly coin: string;
  /** Amount credited to or taken from the balance. */
  readonly amount: string;
  /** Amount received by the recipient. */
  readonly received: string;
  /** Fee. */
  readonly fee: string;
  /** Null if the sender is unknown or there are several. */
  readonly fromAddress: string | null;
  readonly toAddress: string;
  /** Null until there is one. */
  readonly txHash: string | null;
  /** Time of the transaction. */
  readonly createdAt: string;
}

export interface TransactionList {
  readonly items: readonly Transaction[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface Wallet {
  readonly chain: string;
  readonly coin: string;
  /** Amount that can be spent now. */
  readonly available: string;
  /** Amount credited but not yet spendable. */
  readonly pending: string;
  /** Amount reserved for payouts in progress, pull payments and payout batches, and coins that their token's contract refuses to move. */
  readonly locked: string;
  /** Sum of available, pending and locked. */
  readonly total: string;
}

export interface OrderEvent {
  /** ID of the order. */
  readonly id: string;
  /** ID of the account that owns the order. */
  readonly account: string;
  readonly type: 'ORDER' | 'INVOICE';
  readonly platform: 'API' | 'CHECKOUT' | 'DASHBOARD';
  /** Order status. */
  readonly status: 'PENDING' | 'OVERDUE' | 'SUCCESS' | 'RESOLVED' | 'PARTIAL' | 'TERMINATED' | 'REFUNDED';
  /** Price in the fiat currency. */
  readonly price: string;
  /** Fiat currency code, such as EUR. */
  readonly currency: string;
  /** Null until the payer has chosen a coin. */
  readonly payment: {
    /** Chain code, such as ETH. */
    readonly chain: string;
    readonly chainName: string;
    /** Currency code of the coin, such as USDT-ERC20. */
    readonly coin: string;
    /** Amount due in the coin. */
    readonly amount: string;
    /** Deposit address or Lightning invoice. */
    readonly address: string;
  } | null;
  /** Null until something is credited. */
  readonly received: string | null;
  /** Amount refunded in the coin, by refunds that are paid. */
  readonly refundedAmount: string;
  /** Amount received in the coin that is neither refunded nor being refunded. */
  readonly refundableAmount: string;
  /** Note of the person who created the order. */
  readonly remark: string;
  /** Underpayment that still counts as paid, in basis points (1/100 of a percent). */
  readonly toleranceBps: number;
  /** Your own reference for the order. */
  readonly merchantReference: string | null;
  /** Your own key-value pairs. */
  readonly metadata: Readonly<Record<string, string>>;
  /** What was bought with a payment link that has items or tips; else null. */
  readonly cart: {
    readonly lines: readonly {
      /** ID of the item of the payment link. */
      readonly item: string;
      readonly name: string;
      /** Price of one. */
      readonly price: string;
      /** Number of this item. */
      readonly quantity: number;
    }[];
    /** Part of the price of the order that is a tip. */
    readonly tip: string;
  } | null;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  /** Payment deadline. */
  readonly expiresAt: string;
  /** Whether a refund of all that is left would currently be accepted. */
  readonly refundable: boolean;
  /** Null if the sender is unknown or there are several. */
  readonly fromAddress: string | null;
  /** Transactions that pay it, in the order in which they were seen; the newest 100 if there are more. */
  readonly txHashes: readonly string[];
}

export interface OrderHistory {
  /** ID of the order. */
  readonly order: string;
  readonly status: 'PENDING' | 'OVERDUE' | 'SUCCESS' | 'RESOLVED' | 'PARTIAL' | 'TERMINATED' | 'REFUNDED';
  readonly items: readonly {
    /** Time of the change. */
    readonly at: string;
    readonly from: 'PENDING' | 'OVERDUE' | 'SUCCESS' | 'RESOLVED' | 'PARTIAL' | 'TERMINATED' | 'REFUNDED' | null;
    readonly to: 'PENDING' | 'OVERDUE' | 'SUCCESS' | 'RESOLVED' | 'PARTIAL' | 'TERMINATED' | 'REFUNDED';
    readonly rule: string;
    /** Facts on which the rule decided. */
    readonly inputs: Readonly<Record<string, unknown>>;
    /** Rate of the order at that time, with its sources; null until a rate was fixed. */
    readonly rate?: unknown;
  }[];
}

export interface Payee {
  /** ID of the payee. */
  readonly id: string;
  /** ID of the account. */
  readonly account: string;
  readonly chain: string;
  readonly address: string;
  readonly label: string;
  /** Time from which it counts as listed. */
  readonly effectiveAt: string;
  /** Time of creation. */
  readonly createdAt: string;
}

export interface PayeeList {
  readonly items: readonly Payee[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface PaymentLink {
  /** ID of the payment link. */
  readonly id: string;
  /** ID of the account. */
  readonly account: string;
  /** URL of its page. */
  readonly url: string;
  /** POINT_OF_SALE: a point of sale, used on paired devices of the merchant. */
  readonly face: 'LINK' | 'POINT_OF_SALE';
  /** Whether it can create an order now; reserved: open orders hold the remaining sales. */
  readonly state: 'open' | 'reserved' | 'sold-out' | 'ended';
  readonly title: string;
  readonly description: string;
  /** Fiat currency code, such as EUR. */
  readonly currency: string;
  /** Price of each order; null if the payer chooses the amount or items. */
  readonly price: string | null;
  /** Minimum amount that the payer can choose. */
  readonly minPrice: string | null;
  /** Maximum amount that the payer can choose. */
  readonly maxPrice: string | null;
  /** What is sold; empty if each order has the price of the link or an amount of the payer. */
  readonly items: readonly {
    /** ID of the item, unique on its page. */
    readonly id: string;
    readonly name: string;
    /** Price of one. */
    readonly price: string;
  }[];
  /** Tips that are offered, in percent; empty if no tip is asked for. */
  readonly tips: readonly number[];
  /** Codes of the coins that are offered; null for all. */
  readonly coins: readonly string[] | null;
  /** Maximum number of sales; null for no limit. */
  readonly maxSales: number | null;
  /** Number of paid orders. */
  readonly sold: number;
  /** Number of open orders; each reserves a sale. */
  readonly open: number;
  /** Time of expiry. */
  readonly expiresAt: string | null;
  readonly active: boolean;
  readonly returnUrl: string | null;
  readonly callbackUrl: string | null;
  readonly timeoutCallback: string | null;
  readonly enablePostCallback: boolean;
  readonly fixedEncryptPrice: boolean;
  readonly referencePrefix: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Paired devices of a point of sale. */
  readonly devices: readonly {
    /** ID of the device. */
    readonly id: string;
    /** Time of pairing. */
    readonly pairedAt: string;
  }[];
  /** Version of the record; send it in If-Match to change the record. */
  readonly version: number;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
}

export interface PaymentLinkList {
  readonly items: readonly PaymentLink[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface Payout {
  /** ID of the payout; for a withdrawal or refund also the ID of its transaction. */
  readonly id: string;
  /** sweep, gas and cold move funds between addresses of the till; return pays back an unassigned deposit; charge executes the authorization of an x402 payer. */
  readonly kind: 'withdrawal' | 'refund' | 'payout' | 'sweep' | 'gas' | 'cold' | 'return' | 'charge';
  /** HELD: waits for approval. */
  readonly status: 'HELD' | 'REQUESTED' | 'SIGNED' | 'BROADCAST' | 'CONFIRMED' | 'FAILED';
  /** ID of the account whose balance pays. */
  readonly account: string | null;
  /** ID of the order that is refunded, or that the x402 charge pays. */
  readonly order: string | null;
  /** ID of the account that requested it here; null for requests of the payment API and for payouts of the till. */
  readonly requestedBy: string | null;
  /** ID of the unassigned deposit that is returned. */
  readonly deposit: string | null;
  readonly chain: string;
  readonly coin: string;
  /** Amount taken from the balance. */
  readonly amount: string;
  /** Fee in the same coin; an estimate until the payment is signed. */
  readonly fee: string;
  /** Maximum fee; the payout waits while the network demands more. */
  readonly maxFee: string;
  /** Amount that the recipient receives. */
  readonly received: string;
  readonly fromAddress: string;
  readonly toAddress: string;
  /** Reason why it failed or waits. */
  readonly reason: string | null;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  /** Time at which it was paid or failed. */
  readonly finishedAt: string | null;
}

export interface PayoutAddress {
  /** ID of the account. */
  readonly account: string;
  readonly chain: string;
  /** Address that was registered last. */
  readonly address: string;
  /** Time at which it takes effect. */
  readonly effectiveAt: string;
  /** Address that is active until then; null if there is none. */
  readonly formerAddress: string | null;
  /** Address to which a payout would be paid now; null while the first address is not active yet. */
  readonly inForce: string | null;
  /** Time of the last change. */
  readonly updatedAt: string;
}

export interface PayoutAddressList {
  readonly items: readonly PayoutAddress[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface PayoutBatch {
  /** ID of the payout batch. */
  readonly id: string;
  /** ID of the account whose balance pays. */
  readonly account: string;
  readonly name: string;
  /** DRAFT: waits for approval; APPROVED: its rows become payouts; DONE: all of these have ended; CANCELLED: no further row becomes one. */
  readonly status: 'DRAFT' | 'APPROVED' | 'DONE' | 'CANCELLED';
  /** ID of the account that created it in a session; null for a credential. */
  readonly createdBy: string | null;
  readonly sums: readonly {
    readonly chain: string;
    readonly coin: string;
    /** Number of rows. */
    readonly rows: number;
    /** Amount taken from the balance. */
    readonly amount: string;
    /** Estimated fees, which are deducted from the amount. */
    readonly fee: string;
    /** Amount that the recipients receive, by the estimate. */
    readonly received: string;
  }[];
  readonly approvals: readonly {
    /** ID of the admin; null for the command line. */
    readonly account: string | null;
    /** Time. */
    readonly at: string;
  }[];
  /** True if it was approved because the account lists every recipient as a payee. */
  readonly listed: boolean;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  /** Time at which it was approved. */
  readonly approvedAt: string | null;
  /** Time at which it was done or cancelled. */
  readonly finishedAt: string | null;
}

export interface PayoutBatchDetail {
  /** ID of the payout batch. */
  readonly id: string;
  /** ID of the account whose balance pays. */
  readonly account: string;
  readonly name: string;
  /** DRAFT: waits for approval; APPROVED: its rows become payouts; DONE: all of these have ended; CANCELLED: no further row becomes one. */
  readonly status: 'DRAFT' | 'APPROVED' | 'DONE' | 'CANCELLED';
  /** ID of the account that created it in a session; null for a credential. */
  readonly createdBy: string | null;
  readonly sums: readonly {
    readonly chain: string;
    readonly coin: string;
    /** Number of rows. */
    readonly rows: number;
    /** Amount taken from the balance. */
    readonly amount: string;
    /** Estimated fees, which are deducted from the amount. */
    readonly fee: string;
    /** Amount that the recipients receive, by the estimate. */
    readonly received: string;
  }[];
  readonly approvals: readonly {
    /** ID of the admin; null for the command line. */
    readonly account: string | null;
    /** Time. */
    readonly at: string;
  }[];
  /** True if it was approved because the account lists every recipient as a payee. */
  readonly listed: boolean;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  /** Time at which it was approved. */
  readonly approvedAt: string | null;
  /** Time at which it was done or cancelled. */
  readonly finishedAt: string | null;
  /** Number of different people who must approve it, unless every recipient is listed. */
  readonly approvalsNeeded: number;
  readonly progress: {
    /** Rows that are not payouts yet. */
    readonly waiting: number;
    /** Rows that never become payouts. */
    readonly dropped: number;
    /** Payouts that wait for approval. */
    readonly held: number;
    /** Payouts that are not final. */
    readonly underway: number;
    /** Payouts that were paid. */
    readonly paid: number;
    /** Payouts that failed; their references can be used again. */
    readonly failed: number;
  };
}

export interface PayoutBatchList {
  readonly items: readonly PayoutBatch[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface PayoutBatchRow {
  /** Line of the file; in a JSON list the position, from 1. */
  readonly line: number;
  readonly reference: string;
  readonly chain: string;
  readonly coin: string;
  /** Address or Lightning invoice. */
  readonly address: string;
  /** Amount taken from the balance. */
  readonly amount: string;
  /** Fee, which is deducted from the amount; an estimate until the payment is signed. */
  readonly fee: string;
  /** Amount that the recipient receives. */
  readonly received: string;
  /** Amount in the fiat currency, from which the amount was converted. */
  readonly fiatAmount: string | null;
  readonly fiatCurrency: string | null;
  /** Price of one coin in the fiat currency at the conversion. */
  readonly rate: string | null;
  /** ID of the payout; null until there is one. */
  readonly payout: string | null;
  /** WAITING: not a payout yet; DROPPED: it never becomes one; otherwise that of the payout. */
  readonly status: 'WAITING' | 'DROPPED' | 'HELD' | 'REQUESTED' | 'SIGNED' | 'BROADCAST' | 'CONFIRMED' | 'FAILED';
  /** Reason why it failed, waits or was dropped. */
  readonly reason: string | null;
  readonly txHash: string | null;
}

export interface PayoutBatchRowList {
  readonly items: readonly PayoutBatchRow[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface PayoutDetail {
  /** ID of the payout; for a withdrawal or refund also the ID of its transaction. */
  readonly id: string;
  /** sweep, gas and cold move funds between addresses of the till; return pays back an unassigned deposit; charge executes the authorization of an x402 payer. */
  readonly kind: 'withdrawal' | 'refund' | 'payout' | 'sweep' | 'gas' | 'cold' | 'return' | 'charge';
  /** HELD: waits for approval. */
  readonly status: 'HELD' | 'REQUESTED' | 'SIGNED' | 'BROADCAST' | 'CONFIRMED' | 'FAILED';
  /** ID of the account whose balance pays. */
  readonly account: string | null;
  /** ID of the order that is refunded, or that the x402 charge pays. */
  readonly order: string | null;
  /** ID of the account that requested it here; null for requests of the payment API and for payouts of the till. */
  readonly requestedBy: string | null;
  /** ID of the unassigned deposit that is returned. */
  readonly deposit: string | null;
  readonly chain: string;
  readonly coin: string;
  /** Amount taken from the balance. */
  readonly amount: string;
  /** Fee in the same coin; an estimate until the payment is signed. */
  readonly fee: string;
  /** Maximum fee; the payout waits while the network demands more. */
  readonly maxFee: string;
  /** Amount that the recipient receives. */
  readonly received: string;
  readonly fromAddress: string;
  readonly toAddress: string;
  /** Reason why it failed or waits. */
  readonly reason: string | null;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  /** Time at which it was paid or failed. */
  readonly finishedAt: string | null;
  readonly approvals: readonly {
    /** ID of the admin who approved it; null for an operator at the command line. */
    readonly account: string | null;
    /** Time of the approval. */
    readonly at: string;
    /** False if the approval was given before the payout was held again. */
    readonly counts: boolean;
  }[];
  /** Number of different people who must approve it while it is HELD. */
  readonly approvalsNeeded: number;
  /** Null until it is signed. */
  readonly chainTransaction: {
    /** ID of the transaction, which may pay several payouts. */
    readonly id: string;
    readonly status: 'LIVE' | 'DONE' | 'VOID';
    readonly nonce: number | null;
    /** Hash of the attempt that was mined. */
    readonly txHash: string | null;
    readonly height: number | null;
    /** Reason for cancelling; omitted unless it is being cancelled. */
    readonly cancelReason?: string | undefined;
    /** Time at which it was last sent to a node. */
    readonly sentAt: string | null;
    readonly attempts: readonly {
      readonly number: number;
      /** Only for a cancelling attempt, which pays the till itself so that the payments can no longer be mined. */
      readonly cancels?: 'true' | undefined;
      readonly txHash: string;
      /** Fee in the smallest unit of the chain's native coin. */
      readonly feeUnits: string;
      /** Time of creation. */
      readonly createdAt: string;
    }[];
  } | null;
  /** Null on every other chain. */
  readonly lightning: {
    readonly paymentHash: string;
    /** Time at which the invoice expires. */
    readonly expiresAt: string;
    /** Time at which the payment was last given to the node. */
    readonly givenAt: string | null;
    /** Number of consecutive refusals by a node that never had the payment. */
    readonly refusals: number;
    /** Time of the first of these refusals. */
    readonly refusedSince: string | null;
    /** Reason why it is being given up; null while it is to be paid. */
    readonly cancelReason: string | null;
  } | null;
}

export interface PayoutList {
  readonly items: readonly ListedPayout[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface Posting {
  /** Time of the booking. */
  readonly bookedAt: string;
  /** ID of the entry, whose postings sum to zero for each currency. */
  readonly entry: string;
  /** Line of the posting in the entry. */
  readonly line: number;
  /** Kind of booking. */
  readonly kind: string;
  /** Reference to the deposit or payout that was booked. */
  readonly reference: string;
  /** Null for the till's own ledger accounts. */
  readonly account: string | null;
  /** available, pending or reserved for the balance of an account; otherwise the name of the till's own ledger account. */
  readonly balance: string;
  readonly coin: string;
  /** Amount added; negative if it was taken. */
  readonly amount: string;
}

export interface PostingList {
  readonly items: readonly Posting[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface PullPayment {
  /** ID of the pull payment. */
  readonly id: string;
  /** ID of the account that pays. */
  readonly account: string;
  /** URL of its claim page, with which anyone can claim the amount; only when it is created or revealed, otherwise null. */
  readonly url: string | null;
  /** settled: all of it is claimed and paid. */
  readonly state: 'active' | 'settled' | 'expired' | 'archived';
  /** Heading of its claim page. */
  readonly name: string;
  /** Code of a coin, or of a fiat currency. */
  readonly currency: string;
  /** Amount promised. */
  readonly amount: string;
  /** Part of it that is claimed. */
  readonly claimed: string;
  /** Part of it that nobody has claimed. */
  readonly left: string;
  /** Coins in which a fiat amount can be claimed; null for all, and for an amount in a coin. */
  readonly coins: readonly string[] | null;
  /** Time of expiry. */
  readonly expiresAt: string | null;
  /** Whether claims are paid without an approval, after the delay of a new address. */
  readonly autoApprove: boolean;
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** ID of the order of which it refunds a part. */
  readonly order: string | null;
  /** ID of the account that created it here; null for a program. */
  readonly requestedBy: string | null;
  /** Time at which it was archived. */
  readonly archivedAt: string | null;
  /** Time of creation. */
  readonly createdAt: string;
}

export interface PullPaymentList {
  readonly items: readonly PullPayment[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface Rate {
  /** Chain code, such as ETH. */
  readonly chain: string;
  /** Currency code of the coin, such as USDT-ERC20. */
  readonly coin: string;
  /** Fiat currency code, such as EUR. */
  readonly currency: string;
  /** Null when there is no usable price at the moment. */
  readonly price: string | null;
}

export interface RateList {
  readonly items: readonly Rate[];
}

export interface SecurityEvent {
  /** ID of the entry. */
  readonly id: string;
  /** Time of the action. */
  readonly createdAt: string;
  /** Null for an operator at the command line. */
  readonly actor: string | null;
  readonly action: string;
  readonly subjectType: string;
  /** ID of the record that was changed. */
  readonly subject: string;
  readonly changes: Readonly<
    Record<
      string,
      {
        readonly from?: unknown;
        readonly to?: unknown;
      }
    >
  >;
  readonly ip: string | null;
  readonly traceId: string | null;
  /** ID of the account. */
  readonly account: string | null;
  /** Time at which a weakened protection takes effect; null if the change is in force. */
  readonly effectiveAt: string | null;
}

export interface Service {
  /** Whether orders can be paid with /sandbox/v1/pay. */
  readonly sandbox: boolean;
  /** Every supported pair of chain and coin. */
  readonly coins: readonly {
    readonly chain: string;
    readonly chainName: string;
    /** Currency code of the coin, such as USDT-ERC20. */
    readonly coin: string;
    /** What people call the coin, such as USDT; other chains may have the same. */
    readonly symbol: string;
    /** URL of a transaction of the chain in a block explorer, with {txid} in place of its hash; null where there is none. */
    readonly explorer: string | null;
    /** URL of an address of the chain in a block explorer, with {address} in its place; null where there is none. */
    readonly addressExplorer: string | null;
    /** Whether orders can currently be created in it. */
    readonly enabled: boolean;
  }[];
  /** Fiat currencies in which orders can be priced. */
  readonly fiats: readonly FiatCurrency[];
  /** Chains that a gateway serves, for Apps to use. */
  readonly gatewayChains: readonly {
    readonly chain: string;
    readonly chainName: string;
  }[];
  /** Events that webhook endpoints can receive. */
  readonly webhookEvents: readonly string[];
}

export interface TestEvent {
  /** ID of the endpoint. */
  readonly webhook: string;
}

export interface WalletList {
  readonly items: readonly Wallet[];
}

export interface WatchAddress {
  /** ID of the record. */
  readonly id: string;
  /** ID of the account. */
  readonly account: string;
  readonly chain: string;
  readonly kind: 'address' | 'extended-key';
  readonly value: string;
  readonly label: string;
  /** Time of creation. */
  readonly createdAt: string;
}

export interface WatchAddressList {
  readonly items: readonly WatchAddress[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface Webhook {
  /** ID of the endpoint. */
  readonly id: string;
  /** ID of the account. */
  readonly account: string;
  readonly url: string;
  /** Event types, or groups such as order.*; in another format its own types, or * for all. */
  readonly events: readonly string[];
  /** Form of the events: standard is the till's own; greenfield that of plugins of shop systems. */
  readonly format: 'standard' | 'greenfield';
  readonly enabled: boolean;
  /** Time until which events are also signed with the previous secret. */
  readonly previousSecretExpiresAt: string | null;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
}

export interface WebhookList {
  readonly items: readonly Webhook[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

/** The data of each event, by its type. */
export interface EventData {
  readonly 'order.created': OrderEvent;
  readonly 'order.succeeded': OrderEvent;
  readonly 'order.timeout': OrderEvent;
  readonly 'order.terminated': OrderEvent;
  readonly 'order.refunded': OrderEvent;
  readonly 'refund.requested': Transaction;
  readonly 'refund.succeeded': Transaction;
  readonly 'refund.failed': Transaction;
  readonly 'withdrawal.requested': Transaction;
  readonly 'withdrawal.held': Transaction;
  readonly 'withdrawal.succeeded': Transaction;
  readonly 'withdrawal.failed': Transaction;
  readonly 'payout.requested': Transaction;
  readonly 'payout.held': Transaction;
  readonly 'payout.succeeded': Transaction;
  readonly 'payout.failed': Transaction;
  readonly 'claim.requested': Claim;
  readonly 'claim.approved': Claim;
  readonly 'claim.rejected': Claim;
  readonly 'deposit.seen': Deposit;
  readonly 'deposit.credited': Deposit;
  readonly 'deposit.spendable': Deposit;
  readonly 'deposit.orphaned': Deposit;
  readonly 'deposit.unassigned': Deposit;
  readonly 'security.changed': SecurityEvent;
  readonly 'security.pending': SecurityEvent;
  readonly 'alert.raised': Alert;
  readonly 'webhook.test': TestEvent;
}

/** The fields of `apps.list`. */
export interface AppListParams {
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `apps.usage`. */
export interface AppUsageParams {
  /** First hour, inclusive. */
  readonly from?: string | Date | undefined;
  /** Last hour, exclusive. */
  readonly to?: string | Date | undefined;
  /** Grouping of the sums. */
  readonly by?: 'day' | 'hour' | 'method' | 'route' | undefined;
}

/** The fields of `callbacks.list`. */
export interface CallbackListParams {
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Only records with this status. */
  readonly status?: 'PENDING' | 'DELIVERED' | 'DEAD' | undefined;
  /** Only events of this webhook endpoint. */
  readonly webhook?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `webhooks.list`. */
export interface WebhookListParams {
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `links.list`. */
export interface LinkListParams {
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `links.create`. */
export interface LinkCreateParams {
  /** ID of the account; defaults to your own. */
  readonly account?: string | undefined;
  /** Kind of page; defaults to LINK. */
  readonly face?: 'LINK' | 'POINT_OF_SALE' | undefined;
  /** Title of its page. */
  readonly title: string;
  /** Fiat currency code, such as EUR. */
  readonly currency: string;
  /** Text below the title of its page. */
  readonly description?: string | undefined;
  /** Price of each order; if omitted or null, the payer chooses the amount. */
  readonly price?: string | undefined;
  /** Minimum amount that the payer can choose. */
  readonly minPrice?: string | undefined;
  /** Maximum amount that the payer can choose. */
  readonly maxPrice?: string | undefined;
  /** What is sold, in place of a price; replaces all items. */
  readonly items?:
    | readonly {
        /** ID of the item; a new one by default. */
        readonly id?: string | undefined;
        /** Name of the item. */
        readonly name: string;
        /** Price of one. */
        readonly price: string;
      }[]
    | undefined;
  /** Tips that are offered, in percent, ascending; the payer may also give none, or an own amount. */
  readonly tips?: readonly number[] | undefined;
  /** Codes of the coins that are offered; null for all. */
  readonly coins?: readonly string[] | null | undefined;
  /** Maximum number of sales; null for no limit. */
  readonly maxSales?: number | undefined;
  /** Time of expiry; null for none. */
  readonly expiresAt?: string | Date | null | undefined;
  /** Whether it creates orders. */
  readonly active?: boolean | undefined;
  /** URL to which the payer is redirected after the payment. */
  readonly returnUrl?: string | null | undefined;
  /** URL called when one of its orders is paid. */
  readonly callbackUrl?: string | null | undefined;
  /** URL called when one of its orders expires. */
  readonly timeoutCallback?: string | null | undefined;
  /** Sends callbacks as POST requests with the order in the body. */
  readonly enablePostCallback?: boolean | undefined;
  /** Values stablecoins at exactly 1 USD. */
  readonly fixedEncryptPrice?: boolean | undefined;
  /** Prefix of the merchant_reference of each order, followed by the order ID. */
  readonly referencePrefix?: string | null | undefined;
  /** Your own key-value pairs, stored with the order: an object of at most 20 texts, names of 1 to 40 printable characters, values of at most 500 characters without control characters, as JSON at most 2048 bytes. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** The fields of `orders.list`. */
export interface OrderListParams {
  /** Only records with this status. */
  readonly status?: 'PENDING' | 'OVERDUE' | 'SUCCESS' | 'RESOLVED' | 'PARTIAL' | 'TERMINATED' | 'REFUNDED' | undefined;
  /** Only orders paid on this chain. */
  readonly chain?: string | undefined;
  /** Only orders paid in this coin. */
  readonly coin?: string | undefined;
  /** Only orders created at or after this time. */
  readonly from?: string | Date | undefined;
  /** Only orders created before this time. */
  readonly to?: string | Date | undefined;
  /** Full order ID, merchant reference, deposit address, or hash of a transaction that pays an order. */
  readonly q?: string | undefined;
  /** Only orders of this payment link. */
  readonly link?: string | undefined;
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `orders.create`. */
export interface OrderCreateParams {
  /** Price of the order in the fiat currency. */
  readonly price: string;
  /** Fiat currency code, such as EUR. */
  readonly currency: string;
  /** Chain code; if omitted, the payer chooses the coin. */
  readonly chain?: string | undefined;
  /** Currency code of the coin, together with `chain`. */
  readonly coin?: string | undefined;
  /** ID of the account; defaults to your own. */
  readonly account?: string | undefined;
  /** Note of the person who creates the order. */
  readonly remark?: string | undefined;
  /** URL to which the payer is redirected after the payment; no redirect if omitted. */
  readonly succeedUrl?: string | undefined;
  /** URL to which the payer is redirected when the order expires; no redirect if omitted. */
  readonly timeoutUrl?: string | undefined;
  /** URL called when the order is paid. */
  readonly callbackUrl?: string | undefined;
  /** URL called when the order expires. */
  readonly timeoutCallback?: string | undefined;
  /** Your own reference for the order, unique in your account: a text of at most 100 printable characters without a space at its ends. */
  readonly merchantReference?: string | undefined;
  /** Your own key-value pairs, stored with the order: an object of at most 20 texts, names of 1 to 40 printable characters, values of at most 500 characters without control characters, as JSON at most 2048 bytes. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Seconds until the payment deadline, within the limits that the operator sets. Defaults to the operator's setting. */
  readonly expiresIn?: number | undefined;
  /** Underpayment that still counts as paid, in basis points (1/100 of a percent) of the amount due, within the limits that the operator sets. Defaults to the operator's setting. */
  readonly toleranceBps?: number | undefined;
  /** Values stablecoins at exactly 1 USD. */
  readonly fixedEncryptPrice?: boolean | undefined;
  /** Sends callbacks as POST requests with the order in the body. */
  readonly enablePostCallback?: boolean | undefined;
}

/** The fields of `rates.list`. */
export interface RateListParams {
  /** Fiat currency code, such as EUR. */
  readonly currency: string;
}

/** The fields of `transactions.list`. */
export interface TransactionListParams {
  /** Only transactions of this type. */
  readonly type?: 'ORDER' | 'INVOICE' | 'WITHDRAW' | 'SWAP' | 'REFUND' | 'PAYOUT' | undefined;
  /** Only records with this status. */
  readonly status?: 'PENDING' | 'SUCCESS' | 'FAILED' | undefined;
  /** Only transactions on this chain. */
  readonly chain?: string | undefined;
  /** Only transactions in this coin. */
  readonly coin?: string | undefined;
  /** Only transactions at or after this time. */
  readonly from?: string | Date | undefined;
  /** Only transactions before this time. */
  readonly to?: string | Date | undefined;
  /** Full transaction ID or hash, order ID, merchant reference, deposit address, or recipient address. */
  readonly q?: string | undefined;
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `ledger.list`. */
export interface LedgerListParams {
  /** Only postings at or after this time. */
  readonly from?: string | Date | undefined;
  /** Only postings before this time. */
  readonly to?: string | Date | undefined;
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `wallets.list`. */
export interface WalletListParams {
  /** ID of the account; defaults to your own. */
  readonly account?: string | undefined;
}

/** The fields of `payoutAddresses.list`. */
export interface PayoutAddressListParams {
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `watchAddresses.list`. */
export interface WatchAddressListParams {
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `payouts.list`. */
export interface PayoutListParams {
  /** Only records with this status. */
  readonly status?: 'HELD' | 'REQUESTED' | 'SIGNED' | 'BROADCAST' | 'CONFIRMED' | 'FAILED' | undefined;
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `payouts.create`. */
export interface PayoutCreateParams {
  /** ID of the account; defaults to your own. */
  readonly account?: string | undefined;
  /** Amount to take from the balance. */
  readonly amount: string;
  /** Chain code, such as ETH, BTC or TRX. */
  readonly chain: string;
  /** Currency code of the coin, such as ETH or USDT-ERC20. */
  readonly coin: string;
  /** Lightning invoice to pay; required on BLN (Lightning). */
  readonly invoice?: string | undefined;
  /** Code of the second factor; required on BLN (Lightning), and if the account demands one for payouts. */
  readonly verifyCode?: string | number | undefined;
}

/** The fields of `payoutBatches.create`. */
export interface PayoutBatchCreateParams {
  /** Name, for people. */
  readonly name?: string | undefined;
  /** ID of the account; defaults to your own. */
  readonly account?: string | undefined;
  readonly rows: readonly {
    /** Your own reference, 1 to 64 characters; each is paid once, for ever. */
    readonly reference?: string | undefined;
    /** Address, or Lightning invoice (BOLT11). */
    readonly address?: string | undefined;
    /** Currency code of the coin, such as ETH or USDT-ERC20. */
    readonly coin?: string | undefined;
    /** Amount in the coin that is taken from the balance; a plain decimal. */
    readonly amount?: string | undefined;
    /** Amount in `fiatCurrency` instead, converted at the present rate and rounded down. */
    readonly fiatAmount?: string | undefined;
    /** Fiat currency code, such as EUR. */
    readonly fiatCurrency?: string | undefined;
  }[];
}

/** The fields of `payoutBatches.list`. */
export interface PayoutBatchListParams {
  /** Only records with this status. */
  readonly status?: 'DRAFT' | 'APPROVED' | 'DONE' | 'CANCELLED' | undefined;
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `payoutBatches.rows`. */
export interface PayoutBatchRowsParams {
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `payoutBatches.approve`. */
export interface PayoutBatchApproveParams {
  /** Code of the second factor; required of a credential. */
  readonly verifyCode?: string | number | undefined;
}

/** The fields of `payees.list`. */
export interface PayeeListParams {
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `refunds.create`. */
export interface RefundCreateParams {
  /** ID of the order. */
  readonly order: string;
  /** Recipient; defaults to `payer`, the address that the payer entered. */
  readonly to?: 'payer' | 'sender' | undefined;
  /** Amount to refund in the coin of the order. */
  readonly amount?: string | undefined;
  /** Amount to refund in the fiat currency of the order, instead of `amount`; converted to the coin and rounded down. */
  readonly fiatAmount?: string | undefined;
  /** Rate of `fiatAmount`: `order`, at which the order was priced, or `current`; defaults to `order`. */
  readonly rate?: 'order' | 'current' | undefined;
  /** Refund only what was received beyond the amount due. */
  readonly surplus?: boolean | undefined;
  /** Code of the second factor, where the account demands one for payouts. */
  readonly verifyCode?: string | number | undefined;
}

/** The fields of `pullPayments.list`. */
export interface PullPaymentListParams {
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `pullPayments.create`. */
export interface PullPaymentCreateParams {
  /** ID of the account; defaults to your own. */
  readonly account?: string | undefined;
  /** Heading of its claim page. */
  readonly name: string;
  /** Code of a coin, such as USDT-ERC20, or of a fiat currency, such as EUR. */
  readonly currency: string;
  /** Amount to promise. */
  readonly amount: string;
  /** Coins in which a fiat amount can be claimed; null for all. */
  readonly coins?: readonly string[] | null | undefined;
  /** Time of expiry; null for none. */
  readonly expiresAt?: string | Date | null | undefined;
  /** Pays claims without an approval, after the delay of a new address; defaults to false. */
  readonly autoApprove?: boolean | undefined;
  /** Your own reference for the order, unique in your account: a text of at most 100 printable characters without a space at its ends. */
  readonly reference?: string | undefined;
  /** Your own key-value pairs, stored with the order: an object of at most 20 texts, names of 1 to 40 printable characters, values of at most 500 characters without control characters, as JSON at most 2048 bytes. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** ID of the order of which it refunds a part, in the coin of the order. */
  readonly order?: string | undefined;
  /** Code of the second factor, for an API key: required with `autoApprove`, and if the account demands one for payouts. */
  readonly verifyCode?: string | number | undefined;
}

/** The fields of `claims.list`. */
export interface ClaimListParams {
  /** Only claims of this pull payment. */
  readonly pullPayment?: string | undefined;
  /** Only claims with this decision. */
  readonly status?: 'AWAITING_APPROVAL' | 'APPROVED' | 'REJECTED' | undefined;
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `claims.approve`. */
export interface ClaimApproveParams {
  /** Code of the second factor; required for an API key. */
  readonly verifyCode?: string | number | undefined;
}

/** The fields of `claims.reject`. */
export interface ClaimRejectParams {
  /** Reason, shown to the payee. */
  readonly reason: string;
}

/** The calls of service. */
export interface ServiceApi {
  /** Retrieve the installation. Returns the supported coins, fiat currencies and events, and whether money is simulated. */
  get(options?: CallOptions): Promise<Service>;
}

/** The calls of apps. */
export interface AppsApi {
  /**
   * List Apps. Returns the account's Apps, newest first. Admins see all Apps. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateApiError 'account_not_found'.
   */
  list(params?: AppListParams, options?: CallOptions): Promise<AppList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: AppListParams): AsyncGenerator<ListedApp, void, undefined>;

  /**
   * Retrieve an App. Returns an App. An App of another account is reported as not found.
   *
   * @throws TillgateApiError 'app_not_found'.
   */
  get(id: string, options?: CallOptions): Promise<App>;

  /**
   * Retrieve usage of an App. Returns usage, summed over the hours (UTC) that start at or after `from` and before `to`. Defaults to the last 30 days, or the last 24 hours with `by=hour`; the maximum is 400 days, or 31 days with `by=hour`. Calls are included one second after they were made. Rows without usage are omitted. Use `format=csv` or `Accept: text/csv` for CSV.
   *
   * @throws TillgateApiError 'app_not_found'.
   */
  usage(id: string, params?: AppUsageParams, options?: CallOptions): Promise<AppUsage>;
}

/** The calls of callbacks. */
export interface CallbacksApi {
  /**
   * List callbacks. Returns callbacks of orders and events of webhook endpoints, newest first. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateApiError 'account_not_found', 'webhook_not_found'.
   */
  list(params?: CallbackListParams, options?: CallOptions): Promise<CallbackList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: CallbackListParams): AsyncGenerator<Callback, void, undefined>;

  /**
   * Retrieve a callback. Returns a callback with the result of each attempt.
   *
   * @throws TillgateApiError 'callback_not_found'.
   */
  get(id: string, options?: CallOptions): Promise<CallbackDetail>;

  /**
   * Retry a callback. Sends a delivered or dead callback again, with a new schedule of attempts. An event goes to the current URL of its webhook endpoint, which must be enabled.
   *
   * @throws TillgateApiError 'callback_not_found', 'state_conflict'.
   */
  redeliver(id: string, options?: CallOptions): Promise<CallbackDetail>;
}

/** The calls of webhooks. */
export interface WebhooksApi {
  /**
   * List webhook endpoints. Returns webhook endpoints, newest first. List their deliveries with `callbacks?webhook=…`. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateApiError 'account_not_found'.
   */
  list(params?: WebhookListParams, options?: CallOptions): Promise<WebhookList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: WebhookListParams): AsyncGenerator<Webhook, void, undefined>;

  /**
   * Retrieve a webhook endpoint. Returns a webhook endpoint without its secret.
   *
   * @throws TillgateApiError 'webhook_not_found'.
   */
  get(id: string, options?: CallOptions): Promise<Webhook>;
}

/** The calls of links. */
export interface LinksApi {
  /**
   * List payment links. Returns payment links, newest first. List their orders with `orders?link=…`. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateApiError 'account_not_found'.
   */
  list(params?: LinkListParams, options?: CallOptions): Promise<PaymentLinkList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: LinkListParams): AsyncGenerator<PaymentLink, void, undefined>;

  /**
   * Create a payment link. Creates a page that creates an order for each visitor, at a fixed price or for an amount that the payer chooses, optionally limited in sales or time. With the face POINT_OF_SALE it is a point of sale: an amount pad for paired devices. An account can have at most 1000.
   *
   * @throws TillgateApiError 'account_not_found', 'unsupported', 'state_conflict'.
   */
  create(params: LinkCreateParams, options?: CallOptions): Promise<PaymentLink>;

  /**
   * Retrieve a payment link. Returns a payment link with its number of sales.
   *
   * @throws TillgateApiError 'link_not_found'.
   */
  get(id: string, options?: CallOptions): Promise<PaymentLink>;

  /**
   * Deactivate a payment link. Stops the link from creating orders, whatever its version. Open orders can still be paid.
   *
   * @throws TillgateApiError 'link_not_found'.
   */
  deactivate(id: string, options?: CallOptions): Promise<PaymentLink>;
}

/** The calls of orders. */
export interface OrdersApi {
  /**
   * List orders. Returns orders, newest first. Orders created while pages are read do not shift them. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateApiError 'account_not_found'.
   */
  list(params?: OrderListParams, options?: CallOptions): Promise<OrderList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: OrderListParams): AsyncGenerator<Order, void, undefined>;

  /**
   * Create an order. Creates an order in a given coin, or in the coin that the payer chooses at `payUrl`. Only admins can create one for another account. Its callbacks carry the account's callback key instead of an API key.
   *
   * @throws TillgateApiError 'account_not_found', 'unsupported', 'amount_out_of_range', 'state_conflict', 'idempotency_mismatch', 'idempotency_running', 'node_failed', 'not_ready'.
   */
  create(params: OrderCreateParams, options?: WriteOptions): Promise<Order>;

  /**
   * Retrieve an order. Returns an order with its payments, callbacks and refunds.
   *
   * @throws TillgateApiError 'order_not_found'.
   */
  get(id: string, options?: CallOptions): Promise<OrderDetail>;

  /**
   * Cancel an order. Cancels an order for which no payment has been seen.
   *
   * @throws TillgateApiError 'order_not_found', 'state_conflict'.
   */
  cancel(id: string, options?: CallOptions): Promise<Order>;

  /**
   * Explain the status of an order. Returns each change of status, starting with the creation, with the rule that decided it, the facts on which it decided, and the rate.
   *
   * @throws TillgateApiError 'order_not_found'.
   */
  history(id: string, options?: CallOptions): Promise<OrderHistory>;
}

/** The calls of rates. */
export interface RatesApi {
  /**
   * List rates. Returns the present price of each coin in which orders can be created. An order is converted at the prices of its creation, and with the spread of the operator, if there is one.
   *
   * @throws TillgateApiError 'unsupported'.
   */
  list(params: RateListParams, options?: CallOptions): Promise<RateList>;
}

/** The calls of transactions. */
export interface TransactionsApi {
  /**
   * List transactions. Returns credited payments, withdrawals and refunds, newest first. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateApiError 'account_not_found'.
   */
  list(params?: TransactionListParams, options?: CallOptions): Promise<TransactionList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: TransactionListParams): AsyncGenerator<Transaction, void, undefined>;
}

/** The calls of ledger. */
export interface LedgerApi {
  /**
   * List postings. Returns the postings of the account, newest first. Their sum is the balance; the sum of postings before a given time is the balance at that time. Without `account`, admins also see the till's own ledger accounts, and all postings sum to zero. Months that an operator has closed are omitted (`tillgate ledger close`). To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateApiError 'account_not_found'.
   */
  list(params?: LedgerListParams, options?: CallOptions): Promise<PostingList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: LedgerListParams): AsyncGenerator<Posting, void, undefined>;
}

/** The calls of wallets. */
export interface WalletsApi {
  /**
   * List balances. Returns the balance in each enabled coin, and in any other coin in which the account has a balance. Defaults to your own account; admins can name another.
   *
   * @throws TillgateApiError 'account_not_found'.
   */
  list(params?: WalletListParams, options?: CallOptions): Promise<WalletList>;
}

/** The calls of payout addresses. */
export interface PayoutAddressesApi {
  /**
   * List payout addresses. Returns, for each chain, the registered address and the address that is active now, by chain and then by account. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateApiError 'account_not_found'.
   */
  list(params?: PayoutAddressListParams, options?: CallOptions): Promise<PayoutAddressList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: PayoutAddressListParams): AsyncGenerator<PayoutAddress, void, undefined>;
}

/** The calls of watch addresses. */
export interface WatchAddressesApi {
  /**
   * List watched addresses. Returns the addresses whose balances `GET /api/contract/balance` returns, newest first. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateApiError 'account_not_found'.
   */
  list(params?: WatchAddressListParams, options?: CallOptions): Promise<WatchAddressList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: WatchAddressListParams): AsyncGenerator<WatchAddress, void, undefined>;
}

/** The calls of payouts. */
export interface PayoutsApi {
  /**
   * List payouts. Returns the account's withdrawals and refunds, newest first. Admins see those of all accounts and the till's own payouts. Use `status=HELD` for those that wait for approval; `reason` says why. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateApiError 'account_not_found'.
   */
  list(params?: PayoutListParams, options?: CallOptions): Promise<PayoutList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: PayoutListParams): AsyncGenerator<ListedPayout, void, undefined>;

  /**
   * Create a payout. Pays from the balance to the registered address of the chain, or, on BLN (Lightning), to the invoice. The network fee is deducted from the amount. A session needs a step-up.
   *
   * @throws TillgateApiError 'account_not_found', 'unsupported', 'amount_out_of_range', 'verification_required', 'invoice_invalid', 'verify_code_invalid', 'state_conflict', 'idempotency_mismatch', 'idempotency_running', 'insufficient_balance', 'node_failed', 'no_withdrawal_address', 'destination_unpayable', 'not_ready'.
   */
  create(params: PayoutCreateParams, options?: WriteOptions): Promise<Payout>;

  /**
   * Retrieve a payout. Returns a payout with every transaction that was signed for it. Users see their own withdrawals and refunds, without the names of those who approve.
   *
   * @throws TillgateApiError 'payout_not_found'.
   */
  get(id: string, options?: CallOptions): Promise<PayoutDetail>;
}

/** The calls of payout batches. */
export interface PayoutBatchesApi {
  /**
   * Create a payout batch. Checks at most 10000 rows and stores them as a draft, for which nothing is set aside. If any row is invalid, nothing is stored, and `errors` lists the problems with their lines. The rows can be sent as CSV with a header line of the row's field names; `name` and `account` are then in the query. The network fee is deducted from each amount; the fees of the draft are estimates.
   *
   * @throws TillgateApiError 'account_not_found', 'state_conflict', 'idempotency_mismatch', 'idempotency_running', 'insufficient_balance', 'node_failed', 'not_ready'.
   */
  create(params: PayoutBatchCreateParams, options?: WriteOptions): Promise<PayoutBatchDetail>;

  /**
   * List payout batches. Returns payout batches, newest first. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateApiError 'account_not_found'.
   */
  list(params?: PayoutBatchListParams, options?: CallOptions): Promise<PayoutBatchList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: PayoutBatchListParams): AsyncGenerator<PayoutBatch, void, undefined>;

  /**
   * Retrieve a payout batch. Returns a payout batch with the number of its rows in each state.
   *
   * @throws TillgateApiError 'payout_batch_not_found'.
   */
  get(id: string, options?: CallOptions): Promise<PayoutBatchDetail>;

  /**
   * List the rows of a payout batch. Returns the rows in the order of their lines, each with its state. To read the next page, send `nextCursor`.
   *
   * @throws TillgateApiError 'payout_batch_not_found'.
   */
  rows(id: string, params?: PayoutBatchRowsParams, options?: CallOptions): Promise<PayoutBatchRowList>;

  /**
   * Approve a payout batch. Sets the amounts aside and pays the rows. If a recipient is not listed as a payee of the account, another person must approve: as many admins as `withdrawals.approvals` demands, neither the owner of the account nor who created it. Otherwise the owner can; a credential then needs a code. Rows above `withdrawals.approveAbove` or beyond a limit become payouts that are held.
   *
   * @throws TillgateApiError 'payout_batch_not_found', 'verify_code_invalid', 'state_conflict', 'insufficient_balance'.
   */
  approve(id: string, params?: PayoutBatchApproveParams, options?: CallOptions): Promise<PayoutBatchDetail>;

  /**
   * Cancel a payout batch. Cancels a draft, or the rows of an approved batch that are not payouts yet; what was set aside for them is released. Rows that are payouts continue.
   *
   * @throws TillgateApiError 'payout_batch_not_found', 'state_conflict'.
   */
  cancel(id: string, options?: CallOptions): Promise<PayoutBatchDetail>;
}

/** The calls of payees. */
export interface PayeesApi {
  /**
   * List payees. Returns the addresses that the account lists, newest first. The owner of the account may approve a payout batch whose rows all go to listed addresses. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateApiError 'account_not_found'.
   */
  list(params?: PayeeListParams, options?: CallOptions): Promise<PayeeList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: PayeeListParams): AsyncGenerator<Payee, void, undefined>;
}

/** The calls of refunds. */
export interface RefundsApi {
  /**
   * Refund an order. Refunds all that is left of the amount received, or a part of it: `amount`, `fiatAmount` or `surplus`. The network fee is taken from the refund. It goes to the address that the payer entered. With `to: "sender"` it goes to the single sender of the payment, if the payer entered no address. Do not use it for payments from an exchange: the sender is then an address of the exchange, and the payer receives nothing. An order can have several refunds, one after another, together never more than it received; it is REFUNDED once the refund that takes all that is left is final. A refund that needs approval is HELD until another person approves it.
   *
   * @throws TillgateApiError 'order_not_found', 'destination_unpayable', 'verify_code_invalid', 'state_conflict', 'idempotency_mismatch', 'idempotency_running', 'insufficient_balance', 'node_failed', 'not_ready'.
   */
  create(params: RefundCreateParams, options?: WriteOptions): Promise<Payout>;
}

/** The calls of pull payments. */
export interface PullPaymentsApi {
  /**
   * List pull payments. Returns amounts that were promised, newest first. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateApiError 'account_not_found'.
   */
  list(params?: PullPaymentListParams, options?: CallOptions): Promise<PullPaymentList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: PullPaymentListParams): AsyncGenerator<PullPayment, void, undefined>;

  /**
   * Create a pull payment. Promises an amount to whoever has the URL of its claim page, who chooses the coin and the address. An amount in a coin is set aside from the balance now; an amount in a fiat currency is converted and set aside when it is claimed. With `order` it refunds a part of what an order received. An account can have at most 1000 that can still be claimed. A session needs a step-up.
   *
   * @throws TillgateApiError 'account_not_found', 'order_not_found', 'unsupported', 'verification_required', 'verify_code_invalid', 'state_conflict', 'insufficient_balance', 'idempotency_mismatch', 'idempotency_running', 'not_ready'.
   */
  create(params: PullPaymentCreateParams, options?: WriteOptions): Promise<PullPayment>;

  /**
   * Retrieve a pull payment. Returns a pull payment. List what was claimed of it with `claims?pull_payment=…`.
   *
   * @throws TillgateApiError 'pull_payment_not_found'.
   */
  get(id: string, options?: CallOptions): Promise<PullPayment>;

  /**
   * Archive a pull payment. Ends a pull payment: nothing more can be claimed, claims that wait for approval are rejected, and what is left returns to the balance. Payments under way go on.
   *
   * @throws TillgateApiError 'pull_payment_not_found'.
   */
  archive(id: string, options?: CallOptions): Promise<PullPayment>;
}

/** The calls of claims. */
export interface ClaimsApi {
  /**
   * List claims. Returns what payees have claimed of pull payments, newest first. Use `status=AWAITING_APPROVAL` for those that you have to decide about. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateApiError 'account_not_found'.
   */
  list(params?: ClaimListParams, options?: CallOptions): Promise<ClaimList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: ClaimListParams): AsyncGenerator<Claim, void, undefined>;

  /**
   * Retrieve a claim. Returns a claim with the state of its payment.
   *
   * @throws TillgateApiError 'claim_not_found'.
   */
  get(id: string, options?: CallOptions): Promise<Claim>;

  /**
   * Approve a claim. Pays a claim. Its address is not registered, so a claim that only its account has approved is paid after the delay of a new address; another admin, or as many as `withdrawals.approvals` demands, can approve it as well, and it is paid at once. A session needs a step-up, an API key a code of the second factor.
   *
   * @throws TillgateApiError 'claim_not_found', 'state_conflict', 'verify_code_invalid', 'amount_out_of_range', 'destination_unpayable', 'not_ready', 'node_failed'.
   */
  approve(id: string, params?: ClaimApproveParams, options?: CallOptions): Promise<Claim>;

  /**
   * Reject a claim. Rejects a claim that waits for approval, or whose payment waits for `notBefore`. Its amount can be claimed again while the pull payment is active.
   *
   * @throws TillgateApiError 'claim_not_found', 'state_conflict'.
   */
  reject(id: string, params: ClaimRejectParams, options?: CallOptions): Promise<Claim>;
}

/** What a merchant can call over `/v1`. */
export interface MerchantApi {
  readonly service: ServiceApi;
  readonly apps: AppsApi;
  readonly callbacks: CallbacksApi;
  readonly webhooks: WebhooksApi;
  readonly links: LinksApi;
  readonly orders: OrdersApi;
  readonly rates: RatesApi;
  readonly transactions: TransactionsApi;
  readonly ledger: LedgerApi;
  readonly wallets: WalletsApi;
  readonly payoutAddresses: PayoutAddressesApi;
  readonly watchAddresses: WatchAddressesApi;
  readonly payouts: PayoutsApi;
  readonly payoutBatches: PayoutBatchesApi;
  readonly payees: PayeesApi;
  readonly refunds: RefundsApi;
  readonly pullPayments: PullPaymentsApi;
  readonly claims: ClaimsApi;
}

/** How the client sends each call. */
export const CALLS = {
  service: {
    get: { method: 'GET', path: '/v1/service' },
  },
  apps: {
    list: { method: 'GET', path: '/v1/apps', paged: true },
    get: { method: 'GET', path: '/v1/apps/{id}' },
    usage: { method: 'GET', path: '/v1/apps/{id}/usage' },
  },
  callbacks: {
    list: { method: 'GET', path: '/v1/callbacks', paged: true },
    get: { method: 'GET', path: '/v1/callbacks/{id}' },
    redeliver: { method: 'POST', path: '/v1/callbacks/{id}/redeliver' },
  },
  webhooks: {
    list: { method: 'GET', path: '/v1/webhooks', paged: true },
    get: { method: 'GET', path: '/v1/webhooks/{id}' },
  },
  links: {
    list: { method: 'GET', path: '/v1/links', paged: true },
    create: { method: 'POST', path: '/v1/links' },
    get: { method: 'GET', path: '/v1/links/{id}' },
    deactivate: { method: 'POST', path: '/v1/links/{id}/deactivate' },
  },
  orders: {
    list: { method: 'GET', path: '/v1/orders', paged: true },
    create: { method: 'POST', path: '/v1/orders', keyed: true },
    get: { method: 'GET', path: '/v1/orders/{id}' },
    cancel: { method: 'POST', path: '/v1/orders/{id}/cancel' },
    history: { method: 'GET', path: '/v1/orders/{id}/history' },
  },
  rates: {
    list: { method: 'GET', path: '/v1/rates' },
  },
  transactions: {
    list: { method: 'GET', path: '/v1/transactions', paged: true },
  },
  ledger: {
    list: { method: 'GET', path: '/v1/ledger', paged: true },
  },
  wallets: {
    list: { method: 'GET', path: '/v1/wallets' },
  },
  payoutAddresses: {
    list: { method: 'GET', path: '/v1/payout-addresses', paged: true },
  },
  watchAddresses: {
    list: { method: 'GET', path: '/v1/watch-addresses', paged: true },
  },
  payouts: {
    list: { method: 'GET', path: '/v1/payouts', paged: true },
    create: { method: 'POST', path: '/v1/payouts', keyed: true, once: true },
    get: { method: 'GET', path: '/v1/payouts/{id}' },
  },
  payoutBatches: {
    create: { method: 'POST', path: '/v1/payout-batches', keyed: true, once: true },
    list: { method: 'GET', path: '/v1/payout-batches', paged: true },
    get: { method: 'GET', path: '/v1/payout-batches/{id}' },
    rows: { method: 'GET', path: '/v1/payout-batches/{id}/rows' },
    approve: { method: 'POST', path: '/v1/payout-batches/{id}/approve', once: true },
    cancel: { method: 'POST', path: '/v1/payout-batches/{id}/cancel', once: true },
  },
  payees: {
    list: { method: 'GET', path: '/v1/payees', paged: true },
  },
  refunds: {
    create: { method: 'POST', path: '/v1/refunds', keyed: true, once: true },
  },
  pullPayments: {
    list: { method: 'GET', path: '/v1/pull-payments', paged: true },
    create: { method: 'POST', path: '/v1/pull-payments', keyed: true, once: true },
    get: { method: 'GET', path: '/v1/pull-payments/{id}' },
    archive: { method: 'POST', path: '/v1/pull-payments/{id}/archive', once: true },
  },
  claims: {
    list: { method: 'GET', path: '/v1/claims', paged: true },
    get: { method: 'GET', path: '/v1/claims/{id}' },
    approve: { method: 'POST', path: '/v1/claims/{id}/approve', once: true },
    reject: { method: 'POST', path: '/v1/claims/{id}/reject', once: true },
  },
} as const satisfies CallTable;
