import type { AccountId, ChainCode, CredentialId, CurrencyCode, LinkId, Millis, OrderId } from '../kernel/index.ts';
import type { RateEvidence } from '../ledger/index.ts';
import type { Cart } from './cart.ts';
import { merchantDataOf } from './merchant-data.ts';
import type { MerchantData } from './merchant-data.ts';
import type { UndecidedRule } from './undecided-payment.ts';
import type { OrderRule, OrderStatus } from './order-status.ts';

/** ORDER for pay-info and pay-url, INVOICE for Lightning. */
export type OrderType = 'ORDER' | 'INVOICE';
export type Platform = 'API' | 'CHECKOUT' | 'DASHBOARD';

/** The URLs for the payer's browser and for callbacks; `null` where the merchant gave none. */
export interface OrderLinks {
  readonly succeedUrl: string | null;
  readonly timeoutUrl: string | null;
  readonly callbackUrl: string | null;
  readonly timeoutCallback: string | null;
}

/** The coin, the amount due in its units, and the payer's deposit address. */
export interface OrderPayment {
  readonly chain: ChainCode;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  readonly address: string;
  readonly rate: RateEvidence;
  readonly chosenAt: Millis;
}

/** Optional fields of an order that a merchant can set. */
export interface OrderOptions extends MerchantData {
  readonly links: OrderLinks;
  readonly fixedEncryptPrice: boolean;
  readonly enablePostCallback: boolean;
  /** The payment link that created it; `null` for every other order. */
  readonly linkId: LinkId | null;
  /** What it is for, at a payment link with items or tips; `null` for every other order. */
  readonly cart: Cart | null;
}

/** The {@link OrderOptions} of a new order; absent ones have their default. */
export interface NewOrderInput extends Optional<Omit<OrderOptions, 'links'>> {
  readonly links?: Optional<OrderLinks> | undefined;
  /** The time from creation to the deadline in milliseconds; the installation's setting by default. */
  readonly expiresInMs?: number | undefined;
  /** The shortfall, in basis points, at which the order still counts as paid; the installation's setting by default. */
  readonly toleranceBps?: number | undefined;
}

/** The same fields, each of which may be absent. */
export type Optional<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/**
 * Adds the defaults of the options, except deadline and tolerance, which the settings determine: no links, a floating
 * rate, callbacks by GET, no data of the merchant.
 */
export function withDefaults({
  links = {},
  fixedEncryptPrice = false,
  enablePostCallback = false,
  linkId = null,
  cart = null,
  ...given
}: NewOrderInput): OrderOptions {
  const { succeedUrl = null, timeoutUrl = null, callbackUrl = null, timeoutCallback = null } = links;
  return {
    links: { succeedUrl, timeoutUrl, callbackUrl, timeoutCallback },
    fixedEncryptPrice,
    enablePostCallback,
    linkId,
    cart,
    ...merchantDataOf(given),
  };
}

/** An order. */
export interface Order extends OrderOptions {
  readonly id: OrderId;
  readonly accountId: AccountId;
  /** Consecutive numbers of each account from 1, by which lists are paged. */
  readonly number: number;
  /** The credential that created it; `null` for one created after a login. */
  readonly credentialId: CredentialId | null;
  readonly type: OrderType;
  readonly platform: Platform;
  /** True when the payer chooses the coin on the order's page. */
  readonly hosted: boolean;
  readonly status: OrderStatus;
  readonly vsCurrency: string;
  /** In minor units of the fiat currency. */
  readonly vsPrice: bigint;
  /** `null` until the payer of a hosted page has chosen a coin. */
  readonly payment: OrderPayment | null;
  /** Confirmed units of the payment's currency: credited, and not reversed by a reorganisation. */
  readonly received: bigint;
  /** The unguessable last part of the URL of the payer's page. */
  readonly checkoutToken: string;
  /** In basis points of the amount due. */
  readonly toleranceBps: number;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  /** The deadline of the payment. */
  readonly expiresAt: Millis;
  /** The end of the time in which late payments are watched for. */
  readonly watchUntil: Millis;
  /** When a reorganisation removed a payment of a finished order; `null` otherwise. */
  readonly reorgedAt: Millis | null;
  /** The payer's refund address; `null` until it is known. */
  readonly refundAddress: string | null;
  /** A hash of a secret of the browser that entered the address; `null` when no browser can change it. */
  readonly refundBrowser: string | null;
  /** When the address was entered or changed; `null` when there is none. */
  readonly refundAddressAt: Millis | null;
}

/** One change of an order and its reason, for questions such as "why is this order PARTIAL?". */
export interface OrderHistoryEntry {
  readonly orderId: OrderId;
  readonly at: Millis;
  readonly from: OrderStatus | null;
  readonly to: OrderStatus;
  /** The rule of the transition, or an event without a change of status. */
  readonly rule:
    | OrderRule
    | 'created'
    | 'payment-chosen'
    | 'deposit-other-currency'
    | 'deposit-dust'
    | 'deposit-unassigned'
    | 'deposit-assigned'
    | 'refund-address'
    | 'refund-partial'
    | 'payment-reorganised'
    | 'payment-changed'
    | UndecidedRule
    | 'payment-credited-again';
  /** The rule's inputs: amounts as digit strings of units, times in epoch milliseconds. */
  readonly inputs: Readonly<Record<string, string | number | boolean | null>>;
  /**
   * The rate of a choice of coin, or of a refund at the present rate. A change of status is stored without a rate: no other coin can be chosen from then
   * on, so it was decided by the order's own rate.
   */
  readonly rate: RateEvidence | null;
}

/** The least amount that pays the order: the amount due less the tolerance, rounded up. */
export function amountRequired(units: bigint, toleranceBps: number): bigint {
  return units - (units * BigInt(toleranceBps)) / 10_000n;
}
