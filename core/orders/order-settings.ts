import { PAGE_MAX } from '../kernel/index.ts';

/** The settings of orders in this installation. */
export interface OrderSettings {
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
  /** The surcharge on the price of a coin, in basis points from 0 to 5,000, for the merchant's risk until it is sold. */
  readonly spreadBps: number;
  /** The shortfall, in basis points from 0 to 500, at which an order still counts as paid. */
  readonly toleranceBps: number;
  /** The largest tolerance that an order may request, in basis points. */
  readonly maxToleranceBps: number;
  /** The least worth of an order in US dollars, a plain decimal; it is above 0 in any case. */
  readonly min: string;
  /** The largest worth of an order in US dollars, a plain decimal. */
  readonly max: string;
  /** The most open orders of an account. */
  readonly openPerAccount: number;
  /** The most open orders of a payment link, because each is a quote that a stranger can hold. */
  readonly openPerLink: number;
  /** The most new addresses of an account in a day (UTC), counted by each instance. */
  readonly addressesPerDay: number;
  /** The largest `size` of a list. */
  readonly pageMax: number;
}

export const DEFAULT_ORDER_SETTINGS: OrderSettings = {
  timeoutMs: 30 * 60_000,
  minTimeoutMs: 60_000,
  maxTimeoutMs: 60 * 60_000,
  watchMs: 24 * 3_600_000,
  lateGraceMs: 10 * 60_000,
  unconfirmedHoldMs: 6 * 3_600_000,
  spreadBps: 0,
  toleranceBps: 0,
  maxToleranceBps: 500,
  min: '0',
  max: '1000000',
  openPerAccount: 10_000,
  openPerLink: 200,
  addressesPerDay: 100_000,
  pageMax: PAGE_MAX,
};
