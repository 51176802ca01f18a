/** How orders behave in this installation (decisions, section 4). */
export interface OrderSettings {
  /** From creation to the deadline. */
  readonly timeoutMs: number;
  /** The bounds of a deadline that an order asks for itself: its rate is fixed for so long. */
  readonly minTimeoutMs: number;
  readonly maxTimeoutMs: number;
  /** How long after the deadline late payments are looked for. */
  readonly watchMs: number;
  /** In basis points, 0 to 500: how much less than the amount due is taken as paid. */
  readonly toleranceBps: number;
  /** In basis points: the most that an order may ask for itself. */
  readonly maxToleranceBps: number;
  /** The least an order may be worth, in US dollars, a plain decimal; more than 0 in any case. */
  readonly min: string;
  /** The most an order may be worth, in US dollars, a plain decimal. */
  readonly max: string;
  /** How many open orders an account may have. */
  readonly openPerAccount: number;
  /** How many new addresses an account may be given in a day (UTC), by each instance. */
  readonly addressesPerDay: number;
  /** The largest `size` of a list. */
  readonly pageMax: number;
}

export const DEFAULT_ORDER_SETTINGS: OrderSettings = {
  timeoutMs: 30 * 60_000,
  minTimeoutMs: 60_000,
  maxTimeoutMs: 60 * 60_000,
  watchMs: 24 * 3_600_000,
  toleranceBps: 0,
  maxToleranceBps: 500,
  min: '0',
  max: '1000000',
  openPerAccount: 10_000,
  addressesPerDay: 100_000,
  pageMax: 100,
};
