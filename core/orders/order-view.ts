import type { Deposit } from '../chain/index.ts';
import type { Asset, AssetCatalogue, DepositId } from '../kernel/index.ts';
import { present } from '../kernel/index.ts';
import type { Order, OrderPayment } from './order.ts';
import type { OrderRefunds } from './order-refunds.ts';
import { isRefundable, refundSender, singleSender } from './refundable.ts';
import type { OrderChains, RefundMeans } from './refundable.ts';
import { liveDeposits } from './settle-order.ts';

/** The most payments of an order that views and callbacks contain, since there may be thousands of small ones. */
export const SHOWN_PAYMENTS = 100;

/** An order for its merchant, with derived fields. */
export interface OrderView {
  readonly order: Order;
  /** The coin in which it is paid; `null` until the payer has chosen one. */
  readonly asset: Asset | null;
  /** Empty until the payer has chosen a coin. */
  readonly chainName: string;
  /** True when a refund would be accepted now. */
  readonly refundable: boolean;
  readonly refunds: OrderRefunds;
}

/** An order in a list of the management API. */
export interface ListedOrderView {
  readonly order: Order;
  /** `null` until the payer has chosen a coin, and when the plugin of its chain was removed. */
  readonly asset: Asset | null;
  readonly chainName: string;
  readonly refunds: OrderRefunds;
  /** The URL of the payer's page. */
  readonly payUrl: string;
}

/** An order with its payment. */
export interface OrderDetailView extends OrderView {
  /** The deposit that was credited last; `null` while nothing is credited. */
  readonly creditedId: DepositId | null;
  /** The address that sent the whole payment; `null` when there are several, or none is known. */
  readonly fromAddress: string | null;
  /** The address of a refund to the sender; `null` when that would not be accepted now. */
  readonly refundSender: string | null;
  /** The token's contract; an empty string when there is none. */
  readonly contract: string;
  /** The transactions that pay it, in the order in which they were seen; of many the newest {@link SHOWN_PAYMENTS}. */
  readonly txids: readonly string[];
}

/** The address and amount for the payer of an order. */
export interface PayInfoView {
  readonly order: Order;
  readonly payment: OrderPayment;
  readonly asset: Asset;
  /** The token's contract; an empty string when there is none. */
  readonly contract: string;
  /** The URL of the payer's page. */
  readonly payUrl: string;
}

/** A token's contract; an empty string when there is none. */
function contractOf({ chain, currency }: OrderPayment, chains: OrderChains): string {
  return chains.get(chain)?.contractAddress(currency) ?? '';
}

function assetOf({ currency }: OrderPayment, assets: AssetCatalogue): Asset {
  return present(assets.find(currency), `asset ${currency}`);
}

/** An order in a list. */
export function orderView(
  order: Order,
  deposits: readonly Deposit[],
  means: RefundMeans,
  assets: AssetCatalogue,
  chains: OrderChains,
): OrderView {
  const { payment } = order;
  return {
    order,
    asset: payment === null ? null : assetOf(payment, assets),
    chainName: payment === null ? '' : assets.chainName(payment.chain),
    refundable: isRefundable(order, deposits, means, chains),
    refunds: means.refunds,
  };
}

/** The order with its payment. */
export function orderDetailView(
  order: Order,
  deposits: readonly Deposit[],
  means: RefundMeans,
  assets: AssetCatalogue,
  chains: OrderChains,
): OrderDetailView {
  const { payment } = order;
  const live = liveDeposits(order, deposits);
  return {
    ...orderView(order, deposits, means, assets, chains),
    creditedId: live.findLast(({ status }) => status !== 'SEEN')?.id ?? null,
    fromAddress: singleSender(live),
    refundSender: refundSender(order, deposits, means, chains),
    contract: payment === null ? '' : contractOf(payment, chains),
    txids: [...new Set(live.map(({ txid }) => txid))].slice(-SHOWN_PAYMENTS),
  };
}

/**
 * The order as callbacks and events report it, with its refunds at that time. Whether the balance covers a refund is checked when
 * one is requested; an address that was entered after the payment was seen counts as delayed.
 */
export function reportedOrder(
  order: Order,
  deposits: readonly Deposit[],
  refunds: OrderRefunds,
  assets: AssetCatalogue,
  chains: OrderChains,
): OrderDetailView {
  const [available, now] = [order.received, order.updatedAt];
  const means = { refunds, available, frozen: false, holdMs: Infinity, now };
  return orderDetailView(order, deposits, means, assets, chains);
}

/** The payment information of an order with a coin. */
export function payInfoView(order: Order, assets: AssetCatalogue, chains: OrderChains, payUrl: string): PayInfoView {
  const payment = present(order.payment, `payment of order ${order.id}`);
  return {
    order,
    payment,
    asset: assetOf(payment, assets),
    contract: contractOf(payment, chains),
    payUrl,
  };
}
