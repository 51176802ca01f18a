/** The refunds of an order that have not failed. */
export interface OrderRefunds {
  /** True when one is neither paid nor failed. */
  readonly live: boolean;
  /** The part of the received amount that they use, paid or in progress. */
  readonly units: bigint;
}

export const NO_REFUNDS: OrderRefunds = { live: false, units: 0n };

/** @param refunds - refunds of one order, with the status of each transfer */
export function orderRefunds(refunds: readonly { readonly status: string; readonly units: bigint }[]): OrderRefunds {
  return refunds
    .filter(({ status }) => status !== 'FAILED')
    .reduce(
      (sum, { status, units }) => ({ live: sum.live || status !== 'CONFIRMED', units: sum.units + units }),
      NO_REFUNDS,
    );
}
