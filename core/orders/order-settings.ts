import { PAGE_MAX } from '../kernel/index.ts';

/** A setting that is a whole number: what it counts, its bounds and its default. */
export interface CountSetting {
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** The settings of orders that are whole numbers. They have the same names in the settings file. */
export const ORDER_COUNTS = {
  /** The surcharge on the price of a coin, for the merchant's risk until it is sold. */
  spreadBps: { unit: 'basis points', min: 0, max: 5_000, default: 0 },
  /** The shortfall at which an order still counts as paid. */
  toleranceBps: { unit: 'basis points', min: 0, max: 500, default: 0 },
  /** The largest tolerance that an order may request. */
  maxToleranceBps: { unit: 'basis points', min: 0, max: 500, default: 500 },
  /** The most open orders of an account. */
  openPerAccount: { unit: 'orders', min: 1, max: 1_000_000_000, default: 10_000 },
  /** The most open orders of a payment link, because each is a quote that a stranger can hold. */
  openPerLink: { unit: 'orders', min: 1, max: 1_000_000, default: 200 },
  /** The most new addresses of an account in a day (UTC), counted by each instance. */
  addressesPerDay: { unit: 'addresses', min: 1, max: 1_000_000_000, default: 100_000 },
} as const satisfies Readonly<Record<string, CountSetting>>;

type OrderCounts = { readonly [Name in keyof typeof ORDER_COUNTS]: number };

/** The settings of orders in this installation. */
export interface OrderSettings extends OrderCounts {
  /** From creation to the deadline, in milliseconds. */
  readonly timeoutMs: number;
  /** The limits of a deadline that an order requests, because its rate is fixed until then. */
  readonly minTimeoutMs: number;
  readonly maxTimeoutMs: number;
  /** How long after the deadline late payments are watched for, in milliseconds. */
  readonly watchMs: number;
  /** How long after the deadline a payment still completes the order at the order's rate, in milliseconds. */
  readonly lateGraceMs: number;
  /** The longest time after the deadline, in ms, for which unconfirmed payments keep an order and their time. */
  readonly unconfirmedHoldMs: number;
  /** The least worth of an order in US dollars, a plain decimal; it is above 0 in any case. */
  readonly min: string;
  /** The largest worth of an order in US dollars, a plain decimal. */
  readonly max: string;
  /** The largest `size` of a list. */
  readonly pageMax: number;
}

const DEFAULT_COUNTS = Object.fromEntries(
  Object.entries(ORDER_COUNTS).map(([name, setting]) => [name, setting.default]),
) as OrderCounts;

export const DEFAULT_ORDER_SETTINGS: OrderSettings = {
  ...DEFAULT_COUNTS,
  timeoutMs: 30 * 60_000,
  minTimeoutMs: 60_000,
  maxTimeoutMs: 60 * 60_000,
  watchMs: 24 * 3_600_000,
  lateGraceMs: 10 * 60_000,
  unconfirmedHoldMs: 6 * 3_600_000,
  min: '0',
  max: '1000000',
  pageMax: PAGE_MAX,
};
