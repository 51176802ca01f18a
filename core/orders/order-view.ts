import type { Deposit } from '../deposits/deposit.ts';
import type { Asset, AssetCatalogue } from '../kernel/asset.ts';
import { present } from '../kernel/guard.ts';
import type { DepositId } from '../kernel/ids.ts';
import type { Order, OrderPayment } from './order.ts';
import { isRefundable, singleSender } from './refundable.ts';
import type { OrderChains, RefundMeans } from './refundable.ts';
import { liveDeposits } from './settle-order.ts';

/** An order as its merchant reads it: the record, and what follows from other records. */
export interface OrderView {
  readonly order: Order;
  /** What it is paid in; `null` until the payer chose a coin. */
  readonly asset: Asset | null;
  /** Empty until the payer chose a coin. */
  readonly chainName: string;
  /** True when a refund would be accepted now. */
  readonly refundable: boolean;
}

/** An order in a list of the management API. */
export interface ListedOrderView {
  readonly order: Order;
  /** `null` until the payer chose a coin, and where the plugin of its chain was removed. */
  readonly asset: Asset | null;
  readonly chainName: string;
  /** The payer's page. */
  readonly payUrl: string;
}

/** An order with its payment. */
export interface OrderDetailView extends OrderView {
  /** The deposit that was credited last; `null` while nothing is credited. */
  readonly creditedId: DepositId | null;
  /** The address that the whole payment came from; `null` when there are several, or none is known. */
  readonly fromAddress: string | null;
  /** The token's contract; an empty string where there is none. */
  readonly contract: string;
  /** The transactions that pay it, in the order in which they were seen. */
  readonly txids: readonly string[];
}

/** Where and how much the payer of an order pays. */
export interface PayInfoView {
  readonly order: Order;
  readonly payment: OrderPayment;
  readonly asset: Asset;
  /** The token's contract; an empty string where there is none. */
  readonly contract: string;
  /** The payer's page. */
  readonly payUrl: string;
}

/** A token's contract; an empty string where there is none. */
function contractOf({ chain, currency }: OrderPayment, chains: OrderChains): string {
  return chains.get(chain)?.contractAddress(currency) ?? '';
}

function assetOf({ currency }: OrderPayment, assets: AssetCatalogue): Asset {
  return present(assets.find(currency), `asset ${currency}`);
}

/** The order as a list shows it. */
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
    contract: payment === null ? '' : contractOf(payment, chains),
    txids: [...new Set(live.map(({ txid }) => txid))],
  };
}

/**
 * The order as callbacks report it: at its end, before any refund. Whether the balance covers a refund is checked when
 * one is requested.
 */
export function reportedOrder(
  order: Order,
  deposits: readonly Deposit[],
  assets: AssetCatalogue,
  chains: OrderChains,
): OrderDetailView {
  return orderDetailView(order, deposits, { refunded: false, available: order.received }, assets, chains);
}

/** The payment information of an order that has its coin. */
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
