import type { Deposit } from '../deposits/deposit.ts';
import type { UnconfirmedPayment } from '../deposits/unconfirmed-payment.ts';
import type { AssetCatalogue, CurrencyCode } from '../kernel/asset.ts';
import { formatUnits } from '../kernel/decimal.ts';
import { findFiat } from '../kernel/fiat.ts';
import { present } from '../kernel/guard.ts';
import type { Millis } from '../kernel/time.ts';
import { coinPrice } from '../rates/coin-price.ts';
import { amountRequired } from './order.ts';
import type { Order } from './order.ts';
import { liveDeposits, sumReceived } from './settle-order.ts';

/** A transaction that pays an order. */
export interface PaymentPart {
  readonly txid: string;
  /** A plain decimal of the order's coin. */
  readonly amount: string;
  /** When it was first seen. */
  readonly at: Millis;
  /** 0 while it waits to be mined. */
  readonly confirmations: number;
  /** Its page in a block explorer; `null` where the chain has none. */
  readonly url: string | null;
}

/** The payer's view of an order. Amounts are plain decimals of the order's coin; all empty before one is chosen. */
export interface CheckoutView {
  readonly order: Order;
  readonly chainName: string;
  readonly amount: string;
  /** In blocks so far, confirmed or not. */
  readonly received: string;
  /** The same with what waits to be mined. */
  readonly arrived: string;
  /** Still to pay, beyond all that was seen. */
  readonly remaining: string;
  /** What arrived beyond the amount. */
  readonly surplus: string;
  /** One coin in the order's fiat currency, as it was when the coin was chosen; rounded, for reading only. */
  readonly rate: string;
  readonly contractAddr: string;
  /** Asks for what remains; empty where nothing is to be paid any more, or not yet. */
  readonly paymentUri: string;
  /** The Lightning invoice that a Bitcoin order can be paid by as well; `null` for none. */
  readonly invoice: string | null;
  /** Of the payment's youngest part; 0 while one waits to be mined. */
  readonly confirmations: number;
  readonly confirmationsRequired: number;
  readonly refundAddress: string | null;
  readonly seen: boolean;
  /** What pays it, the oldest first. */
  readonly parts: readonly PaymentPart[];
  /** True when a payment was seen and is no more: replaced, spent elsewhere, or taken out of the chain. */
  readonly vanished: boolean;
}

/** Where and how an order is paid. */
export interface PaymentPlace {
  readonly height: number;
  readonly contractAddr: string;
  readonly required: number;
  readonly invoice: string | null;
  /** The URI that asks for so much. */
  uri(due: bigint): string;
}

/** What was seen of an order's payment. */
export interface SeenPayment {
  readonly deposits: readonly Deposit[];
  /** Live ones. */
  readonly unconfirmed: readonly UnconfirmedPayment[];
  /** An unconfirmed one was replaced, or its coins were spent elsewhere. */
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
    amount: plain(units),
    received: plain(received),
    arrived: plain(arrived),
    remaining: plain(remaining),
    surplus: plain(arrived > units ? arrived - units : 0n),
    rate: coinPrice(rate, present(findFiat(order.vsCurrency), `fiat ${order.vsCurrency}`).decimals),
    contractAddr: place.contractAddr,
    paymentUri: remaining > 0n && isOpen(order, now) ? place.uri(remaining) : '',
    invoice: remaining === units ? place.invoice : null,
    confirmations: live.length === 0 || waiting.length > 0 ? 0 : Math.min(...live.map(depth)),
    confirmationsRequired: place.required,
    refundAddress: order.refundAddress,
    seen,
    parts: [...live.map((each) => part(each, depth(each))), ...waiting.map((each) => part(each, 0))].sort(
      (a, b) => a.at - b.at,
    ),
    vanished: !seen && (gone || deposits.some(({ status }) => status === 'ORPHANED')),
  };
}

/** A wallet that opened the URI of any other order would pay late, or a second time. */
function isOpen({ status, expiresAt }: Order, now: Millis): boolean {
  return status === 'PENDING' && now < expiresAt;
}

function plainIn(currency: CurrencyCode, assets: AssetCatalogue): (units: bigint) => string {
  const { decimals } = present(assets.find(currency), `asset ${currency}`);
  return (units) => formatUnits(units, decimals);
}

/** The view of an order before its coin is chosen, and of one whose chain is not configured any more. */
export function emptyView(order: Order): CheckoutView {
  return {
    order,
    chainName: '',
    amount: '',
    received: '',
    arrived: '',
    remaining: '',
    surplus: '',
    rate: '',
    contractAddr: '',
    paymentUri: '',
    invoice: null,
    confirmations: 0,
    confirmationsRequired: 0,
    refundAddress: order.refundAddress,
    seen: false,
    parts: [],
    vanished: false,
  };
}
