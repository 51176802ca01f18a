import type { Deposit, UnconfirmedPayment } from '../chain/index.ts';
import type { AssetCatalogue, CurrencyCode, Millis } from '../kernel/index.ts';
import { findFiat, formatUnits, present } from '../kernel/index.ts';
import { coinPrice } from '../ledger/index.ts';
import { amountRequired } from './order.ts';
import type { Order } from './order.ts';
import { SHOWN_PAYMENTS } from './order-view.ts';
import { liveDeposits, sumReceived } from './settle-order.ts';

/** A transaction that pays an order. */
export interface PaymentPart {
  readonly txid: string;
  /** A plain decimal in the order's coin. */
  readonly amount: string;
  /** When it was first seen. */
  readonly at: Millis;
  /** 0 while it is in the mempool. */
  readonly confirmations: number;
  /** The URL in a block explorer; `null` where the chain has none. */
  readonly url: string | null;
}

/** The payer's view of an order. Amounts are plain decimals in the order's coin; all are empty before one is chosen. */
export interface CheckoutView {
  readonly order: Order;
  readonly chainName: string;
  /** The coin's symbol, which may be the same on several chains: `USDT`. */
  readonly symbol: string;
  readonly amount: string;
  /** The amount in blocks so far, confirmed or not. */
  readonly received: string;
  /** The amount in blocks and in the mempool. */
  readonly arrived: string;
  /** The amount still to pay, after all payments that were seen. */
  readonly remaining: string;
  /** The amount that exceeds the amount due. */
  readonly surplus: string;
  /** The price of one coin in the order's fiat currency when the coin was chosen; rounded, for display only. */
  readonly rate: string;
  readonly contractAddr: string;
  /** The URL of the deposit address in a block explorer; `null` for none. */
  readonly addressUrl: string | null;
  /** Requests the remaining amount; empty when nothing is to be paid any more, or not yet. */
  readonly paymentUri: string;
  /** The Lightning invoice with which a Bitcoin order can be paid as well; `null` for none. */
  readonly invoice: string | null;
  /** Confirmations of the payment's youngest part; 0 while one is in the mempool. */
  readonly confirmations: number;
  readonly confirmationsRequired: number;
  /** The average time between the chain's blocks; `null` where it is not known. */
  readonly blockSeconds: number | null;
  readonly refundAddress: string | null;
  readonly seen: boolean;
  /** The payments, oldest first; of many the newest {@link SHOWN_PAYMENTS}. */
  readonly parts: readonly PaymentPart[];
  /**
   * True when a payment that was seen has disappeared: it was replaced, its coins were spent elsewhere, or a
   * reorganisation removed it.
   */
  readonly vanished: boolean;
}

/** The address and terms by which an order is paid. */
export interface PaymentPlace {
  readonly height: number;
  readonly contractAddr: string;
  readonly required: number;
  readonly invoice: string | null;
  /** The URI that requests this amount. */
  uri(due: bigint): string;
}

/** The payments of an order that were seen. */
export interface SeenPayment {
  readonly deposits: readonly Deposit[];
  /** Payments that are not GONE. */
  readonly unconfirmed: readonly UnconfirmedPayment[];
  /** True when an unconfirmed payment was replaced, or its coins were spent elsewhere. */
  readonly gone: boolean;
}

/** The view of an order whose coin is chosen. Pure. */
export function checkoutView(
  order: Order,
  place: PaymentPlace,
  { deposits, unconfirmed, gone }: SeenPayment,
  assets: AssetCatalogue,
  now: Millis,
): CheckoutView {
  const { chain, currency, units, rate } = present(order.payment, 'payment');
  const plain = plainIn(currency, assets);
  const sums = sumReceived(order, deposits);
  const received = sums.confirmed + sums.unconfirmed;
  const waiting = unconfirmed.filter((each) => each.chain === chain && each.currency === currency);
  const arrived = waiting.reduce((sum, each) => sum + each.units, received);
  const remaining = arrived >= amountRequired(units, order.toleranceBps) ? 0n : units - arrived;
  const live = liveDeposits(order, deposits);
  const seen = live.length > 0 || waiting.length > 0;
  const depth = ({ blockHeight }: Deposit): number => Math.max(0, place.height - blockHeight + 1);
  const part = (each: Deposit | UnconfirmedPayment, confirmations: number): PaymentPart => ({
    txid: each.txid,
    amount: plain(each.units),
    at: 'paidAt' in each ? each.paidAt : each.seenAt,
    confirmations,
    url: assets.transactionUrl(chain, each.txid),
  });
  return {
    order,
    chainName: assets.chainName(chain),
    symbol: present(assets.find(currency), `asset ${currency}`).symbol,
    amount: plain(units),
    received: plain(received),
    arrived: plain(arrived),
    remaining: plain(remaining),
    surplus: plain(arrived > units ? arrived - units : 0n),
    rate: coinPrice(rate, present(findFiat(order.vsCurrency), `fiat ${order.vsCurrency}`).decimals),
    contractAddr: place.contractAddr,
    addressUrl: assets.addressUrl(chain, present(order.payment, 'payment').address),
    paymentUri: remaining > 0n && isOpen(order, now) ? place.uri(remaining) : '',
    invoice: remaining === units ? place.invoice : null,
    confirmations:
      live.length === 0 || waiting.length > 0
        ? 0
        : live.reduce((least, each) => Math.min(least, depth(each)), Infinity),
    confirmationsRequired: place.required,
    blockSeconds: assets.blockSeconds(chain),
    refundAddress: order.refundAddress,
    seen,
    parts: [
      ...live.slice(-SHOWN_PAYMENTS).map((each) => part(each, depth(each))),
      ...waiting.slice(-SHOWN_PAYMENTS).map((each) => part(each, 0)),
    ]
      .sort((a, b) => a.at - b.at)
      .slice(-SHOWN_PAYMENTS),
    vanished: !seen && (gone || deposits.some(({ status }) => status === 'ORPHANED')),
  };
}

/** The URI of any other order is hidden: a wallet that opened it would pay late, or a second time. */
function isOpen({ status, expiresAt }: Order, now: Millis): boolean {
  return status === 'PENDING' && now < expiresAt;
}

function plainIn(currency: CurrencyCode, assets: AssetCatalogue): (units: bigint) => string {
  const { decimals } = present(assets.find(currency), `asset ${currency}`);
  return (units) => formatUnits(units, decimals);
}

/** The view of an order before its coin is chosen, or whose chain is no longer configured. */
export function emptyView(order: Order): CheckoutView {
  return {
    order,
    chainName: '',
    symbol: '',
    amount: '',
    received: '',
    arrived: '',
    remaining: '',
    surplus: '',
    rate: '',
    contractAddr: '',
    addressUrl: null,
    paymentUri: '',
    invoice: null,
    confirmations: 0,
    confirmationsRequired: 0,
    blockSeconds: null,
    refundAddress: order.refundAddress,
    seen: false,
    parts: [],
    vanished: false,
  };
}
