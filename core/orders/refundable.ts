import type { ChainAdapter, Deposit } from '../chain/index.ts';
import type { ChainCode, Millis } from '../kernel/index.ts';
import type { Order } from './order.ts';
import { unitsLeft } from './order-refunds.ts';
import type { OrderRefunds } from './order-refunds.ts';
import { allowsRefund } from './order-status.ts';
import { liveDeposits } from './settle-order.ts';

/** The parts of chains that views of orders need. */
export type OrderChains = ReadonlyMap<
  ChainCode,
  Pick<ChainAdapter, 'contractAddress' | 'destinationProblem' | 'normaliseAddress' | 'payments'>
>;

/** The address that sent all of these deposits; `null` when there are several, or one is unknown. */
export function singleSender(deposits: readonly Deposit[]): string | null {
  const senders = new Set(deposits.map(({ fromAddress }) => fromAddress));
  const [sender] = senders;
  return senders.size === 1 ? (sender ?? null) : null;
}

/**
 * Why a refund of this order cannot be paid to an address, worded to follow the address; `null` when it can. An address
 * that loses its payments is refused wherever it comes from: a mint has the zero address as its sender, and a payment
 * of the till to itself reaches no one.
 */
export function refundAddressProblem(order: Order, address: string, chains: OrderChains): string | null {
  const chain = chains.get(order.payment?.chain ?? '');
  if (chain === undefined) return 'is on a chain that is not configured any more';
  if (chain.normaliseAddress(address) === null) return 'is not an address of the chain on which the order was paid';
  const isHot = chain.payments !== null && chain.normaliseAddress(chain.payments.hotAddress) === address;
  return chain.destinationProblem?.(address) ?? (isHot ? 'belongs to this till' : null);
}

/**
 * The time until which a refund to the payer's address is delayed: an address that was entered or changed after a
 * payment was seen may belong to another person who has the page's URL. `null` for one that was entered before.
 *
 * @param deposits - the order's live deposits
 */
export function lateAddressUntil(
  { refundAddressAt }: Order,
  deposits: readonly Deposit[],
  holdMs: Millis,
): Millis | null {
  if (refundAddressAt === null) return null;
  const isLate = deposits.some(({ paidAt }) => paidAt <= refundAddressAt);
  return isLate ? refundAddressAt + holdMs : null;
}

/** The facts on which a refund depends, besides the order itself. */
export interface RefundMeans {
  /** The order's refunds that are pending or paid. */
  readonly refunds: OrderRefunds;
  /** The merchant's available balance in the order's currency, without frozen coins. */
  readonly available: bigint;
  /** True when the account's withdrawals are frozen. */
  readonly frozen: boolean;
  /** How long refunds to an address entered after the payment was seen are delayed, in milliseconds; 0 for no delay. */
  readonly holdMs: Millis;
  readonly now: Millis;
}

/** Whether a refund is allowed, apart from its destination. */
function hasMoneyToRefund({ status, received }: Order, { refunds, available, frozen }: RefundMeans): boolean {
  const units = unitsLeft({ received }, refunds);
  return !refunds.paying && !frozen && allowsRefund(status) && units > 0n && available >= units;
}

/** The address of a refund to the sender; `null` when none would be accepted now. */
export function refundSender(
  order: Order,
  deposits: readonly Deposit[],
  means: RefundMeans,
  chains: OrderChains,
): string | null {
  if (order.refundAddress !== null || !hasMoneyToRefund(order, means)) return null;
  const sender = singleSender(liveDeposits(order, deposits));
  return sender === null || refundAddressProblem(order, sender, chains) !== null ? null : sender;
}

/**
 * True when a refund would be accepted now: the status allows it, money is confirmed, the payer entered an address that
 * can be paid and is not delayed, and there are no other refund, no freeze, and enough balance (core/decisions/withdrawals-and-refunds.md).
 */
export function isRefundable(
  order: Order,
  deposits: readonly Deposit[],
  means: RefundMeans,
  chains: OrderChains,
): boolean {
  const { holdMs, now } = means;
  if (!hasMoneyToRefund(order, means)) return false;
  if (order.refundAddress === null || refundAddressProblem(order, order.refundAddress, chains) !== null) return false;
  return (lateAddressUntil(order, liveDeposits(order, deposits), holdMs) ?? now) <= now;
}
