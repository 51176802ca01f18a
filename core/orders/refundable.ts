import type { Deposit } from '../deposits/deposit.ts';
import type { ChainCode } from '../kernel/asset.ts';
import type { ChainAdapter } from '../ports/chain-adapter.ts';
import type { Order } from './order.ts';
import { allowsRefund } from './order-status.ts';
import { liveDeposits } from './settle-order.ts';

/** What views of orders need of their chains. */
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
 * Where a refund goes: the address that the payer gave, else the single sender of the payment; `null` when neither is known.
 * An address that loses what it gets counts as none: a mint names the zero address as its sender, and what the till sends to
 * itself arrives at nobody.
 *
 * @param deposits - the order's live ones
 */
export function refundDestination(order: Order, deposits: readonly Deposit[], chains: OrderChains): string | null {
  const chain = chains.get(order.payment?.chain ?? '');
  const isPayable = (address: string | null): boolean =>
    address !== null &&
    chain?.normaliseAddress(address) !== null &&
    (chain?.destinationProblem?.(address) ?? null) === null &&
    (!chain?.payments || chain.normaliseAddress(chain.payments.hotAddress) !== address);
  return [order.refundAddress, singleSender(deposits)].find(isPayable) ?? null;
}

/** What a refund depends on besides the order itself. */
export interface RefundMeans {
  /** The order has a refund that is pending or paid. */
  readonly refunded: boolean;
  /** What the merchant can spend of the order's currency. */
  readonly available: bigint;
}

/**
 * True when Orders Refund would be accepted now: the status allows it, money is confirmed, there is a destination, no
 * other refund, and enough balance (decisions, section 5).
 */
export function isRefundable(
  order: Order,
  deposits: readonly Deposit[],
  { refunded, available }: RefundMeans,
  chains: OrderChains,
): boolean {
  if (refunded || !allowsRefund(order.status) || order.received === 0n || available < order.received) return false;
  return refundDestination(order, liveDeposits(order, deposits), chains) !== null;
}
