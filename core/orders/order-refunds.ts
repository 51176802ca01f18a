/** The refunds of an order that have not failed. */
export interface OrderRefunds {
  /** True when one is neither paid nor failed. */
  readonly live: boolean;
  /** The part of the received amount that they use, paid or in progress. */
  readonly units: bigint;
  /** The part of these units whose payment is final. */
  readonly paid: bigint;
  /** Their number. */
  readonly count: number;
}

export const NO_REFUNDS: OrderRefunds = { live: false, units: 0n, paid: 0n, count: 0 };

/**
 * The one sum of what is refunded of an order.
 *
 * @param refunds - refunds of one order, with the status of each transfer
 */
export function orderRefunds(refunds: readonly { readonly status: string; readonly units: bigint }[]): OrderRefunds {
  return refunds
    .filter(({ status }) => status !== 'FAILED')
    .reduce(
      (sum, { status, units }) => ({
        live: sum.live || status !== 'CONFIRMED',
        units: sum.units + units,
        paid: sum.paid + (status === 'CONFIRMED' ? units : 0n),
        count: sum.count + 1,
      }),
      NO_REFUNDS,
    );
}

/**
 * What of an order's received amount is neither refunded nor being refunded; 0 also when a reorganisation removed a
 * payment that was refunded.
 */
export function unitsLeft({ received }: { readonly received: bigint }, { units }: Pick<OrderRefunds, 'units'>): bigint {
  return received > units ? received - units : 0n;
}
