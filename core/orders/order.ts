import type { ChainCode, CurrencyCode } from '../kernel/asset.ts';
import type { AccountId, CredentialId, LinkId, OrderId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { RateEvidence } from '../rates/evidence.ts';
import type { Metadata } from './merchant-data.ts';
import type { OrderRule, OrderStatus } from './order-status.ts';

/** ORDER for pay-info and pay-url, INVOICE for Lightning. */
export type OrderType = 'ORDER' | 'INVOICE';
export type Platform = 'API' | 'CHECKOUT' | 'DASHBOARD';

/** Where the payer's browser goes and what the till calls; `null` where the merchant gave none. */
export interface OrderLinks {
  readonly succeedUrl: string | null;
  readonly timeoutUrl: string | null;
  readonly callbackUrl: string | null;
  readonly timeoutCallback: string | null;
}

/** The coin, the amount due in its units, and the address that was given to the payer. */
export interface OrderPayment {
  readonly chain: ChainCode;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  readonly address: string;
  readonly rate: RateEvidence;
  readonly chosenAt: Millis;
}

/** What a merchant may say of an order beside its price and its coin. */
export interface OrderOptions {
  readonly links: OrderLinks;
  readonly fixedEncryptPrice: boolean;
  readonly enablePostCallback: boolean;
  /** The merchant's own name of the order, unique for the account; `null` where it gave none. */
  readonly merchantReference: string | null;
  readonly metadata: Metadata;
  /** The payment link that it was made by; `null` for every other order. */
  readonly linkId: LinkId | null;
}

/** The {@link OrderOptions} of a new order; what is absent gets its default. */
export interface NewOrderInput extends Optional<Omit<OrderOptions, 'links'>> {
  readonly links?: Optional<OrderLinks> | undefined;
  /** From creation to the deadline; the installation's setting by default. */
  readonly expiresInMs?: number | undefined;
  /** How much less is taken as paid; the installation's setting by default. */
  readonly toleranceBps?: number | undefined;
}

/** The same fields, each of which may be absent. */
export type Optional<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** The options with their defaults, but for deadline and tolerance, which the settings decide: no links, a floating rate, callbacks by GET, nothing of the merchant's own. */
export function withDefaults({
  links = {},
  fixedEncryptPrice = false,
  enablePostCallback = false,
  merchantReference = null,
  metadata = {},
  linkId = null,
}: NewOrderInput): OrderOptions {
  const { succeedUrl = null, timeoutUrl = null, callbackUrl = null, timeoutCallback = null } = links;
  return {
    links: { succeedUrl, timeoutUrl, callbackUrl, timeoutCallback },
    fixedEncryptPrice,
    enablePostCallback,
    merchantReference,
    metadata,
    linkId,
  };
}

/** An order (specification, "Order"). */
export interface Order extends OrderOptions {
  readonly id: OrderId;
  readonly accountId: AccountId;
  /** Dense per account, 1 for the first: lists are cut by it. */
  readonly number: number;
  /** The credential that made it; `null` for one made by a login. */
  readonly credentialId: CredentialId | null;
  readonly type: OrderType;
  readonly platform: Platform;
  /** True when the payer chooses the coin on the order's page. */
  readonly hosted: boolean;
  readonly status: OrderStatus;
  readonly vsCurrency: string;
  /** In minor units of the fiat. */
  readonly vsPrice: bigint;
  /** `null` until the payer of a hosted page chose a coin. */
  readonly payment: OrderPayment | null;
  /** Confirmed units of the payment's currency: credited, and not taken back by a reorganisation. */
  readonly received: bigint;
  readonly remark: string;
  /** The unguessable last part of the payer's page. */
  readonly checkoutToken: string;
  /** In basis points of the amount due. */
  readonly toleranceBps: number;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  /** The deadline of the payment. */
  readonly expiresAt: Millis;
  /** The end of the watch for late payments. */
  readonly watchUntil: Millis;
  /** When a reorganisation removed a payment of a finished order; `null` otherwise. */
  readonly reorgedAt: Millis | null;
  /** The payer's address for a refund; `null` until it is known. */
  readonly refundAddress: string | null;
  /** A hash of what the browser has that left it; `null` where none can change it. */
  readonly refundBrowser: string | null;
}

/** One change of an order and its reason, for questions such as "why is this order PARTIAL?". */
export interface OrderHistoryEntry {
  readonly orderId: OrderId;
  readonly at: Millis;
  readonly from: OrderStatus | null;
  readonly to: OrderStatus;
  /** The transition's rule, or what happened without a change of status. */
  readonly rule:
    | OrderRule
    | 'created'
    | 'payment-chosen'
    | 'deposit-other-currency'
    | 'deposit-dust'
    | 'deposit-unassigned'
    | 'deposit-assigned'
    | 'refund-address'
    | 'payment-reorganised'
    | 'payment-credited-again';
  /** The rule's inputs: amounts as digit strings of units, times in epoch milliseconds. */
  readonly inputs: Readonly<Record<string, string | number | boolean | null>>;
  /**
   * Of a choice of coin. A change of status is stored without one: from then on no other coin is chosen, so the order's own is the rate
   * it was decided by.
   */
  readonly rate: RateEvidence | null;
}

/** The least that pays the order: the amount due less the tolerance, rounded up. */
export function amountRequired(units: bigint, toleranceBps: number): bigint {
  return units - (units * BigInt(toleranceBps)) / 10_000n;
}
