import type { OrderId, Storage, Transaction } from '../kernel/index.ts';

/** The status of a {@link PromisedRefund} among refunds. */
export const PROMISED = 'PROMISED';

/** An amount of an order that its merchant has promised to refund by a pull payment, and that no refund pays yet. */
export interface PromisedRefund {
  readonly orderId: OrderId;
  readonly status: typeof PROMISED;
  /** More than 0. */
  readonly units: bigint;
}

/** The refunds of an order that have not failed, and what is promised. */
export interface OrderRefunds {
  /** True when one is neither paid nor failed. */
  readonly paying: boolean;
  /** True when one is neither paid nor failed, or is promised. */
  readonly live: boolean;
  /** The part of the received amount that they use, paid or in progress. */
  readonly units: bigint;
  /** The part of these units whose payment is final. */
  readonly paid: bigint;
  /** The part of these units that is promised only. */
  readonly promised: bigint;
  /** The number of refunds, without promises. */
  readonly count: number;
}

export const NO_REFUNDS: OrderRefunds = { paying: false, live: false, units: 0n, paid: 0n, promised: 0n, count: 0 };

/**
 * The one sum of what is refunded of an order.
 *
 * @param listed - refunds of one order, with the status of each transfer, and what is promised
 */
export function orderRefunds(listed: readonly { readonly status: string; readonly units: bigint }[]): OrderRefunds {
  const all = listed.filter(({ status }) => status !== 'FAILED');
  const refunds = all.filter(({ status }) => status !== PROMISED);
  const paid = refunds.filter(({ status }) => status === 'CONFIRMED');
  const paying = refunds.length > paid.length;
  return {
    paying,
    live: paying || all.length > refunds.length,
    units: unitsOf(all),
    paid: unitsOf(paid),
    promised: unitsOf(all) - unitsOf(refunds),
    count: refunds.length,
  };
}

const unitsOf = (refunds: readonly { readonly units: bigint }[]): bigint =>
  refunds.reduce((sum, { units }) => sum + units, 0n);

/**
 * What of an order's received amount is neither refunded nor being refunded; 0 also when a reorganisation removed a
 * payment that was refunded.
 */
export function unitsLeft({ received }: { readonly received: bigint }, { units }: Pick<OrderRefunds, 'units'>): bigint {
  return received > units ? received - units : 0n;
}

/** The refunds of a locked order, and what is promised. */
export async function lockedRefunds(
  { transfers, pullPayments }: Pick<Transaction, 'transfers' | 'pullPayments'>,
  id: OrderId,
): Promise<OrderRefunds> {
  return orderRefunds([...(await transfers.refundsOf(id)), ...(await pullPayments.promisedRefunds([id]))]);
}

/** The refunds of several orders, and what is promised, to be grouped by order. */
export async function refundsOfOrders(
  { transfers, pullPayments }: Pick<Storage, 'transfers' | 'pullPayments'>,
  ids: readonly OrderId[],
): Promise<readonly { readonly orderId: OrderId | null; readonly status: string; readonly units: bigint }[]> {
  const [refunds, promised] = await Promise.all([transfers.refundsOf(ids), pullPayments.promisedRefunds(ids)]);
  return [...refunds, ...promised];
}
