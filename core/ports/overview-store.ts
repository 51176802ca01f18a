import type { CallbackStatus } from '../callbacks/callback.ts';
import type { CurrencyCode } from '../kernel/asset.ts';
import type { AccountId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { OrderStatus } from '../orders/order-status.ts';

/** What of whom is summed up. */
export interface OverviewQuery {
  /** `null` for all accounts. */
  readonly accountId: AccountId | null;
  /** The beginning of the first day, UTC. */
  readonly from: Millis;
  /** The end of the last day. */
  readonly to: Millis;
}

/** Orders of a day that are alike. */
export interface OrderSum {
  /** The beginning of the day on which they were made. */
  readonly day: Millis;
  /** `null` where the payer has not chosen one. */
  readonly currency: CurrencyCode | null;
  readonly vsCurrency: string;
  readonly status: OrderStatus;
  readonly orders: number;
  /** Confirmed units of the currency. */
  readonly received: bigint;
  /** In minor units of the fiat. */
  readonly vsPrice: bigint;
}

/** What Apps used of the gateway. */
export interface GatewaySum {
  readonly requests: number;
  readonly errors: number;
}

/** Sums by day. What they cost depends on the days and on how many accounts are asked for, not on how many orders there are. */
export interface OverviewStore {
  /** By day and currency. */
  orders(query: OverviewQuery): Promise<readonly OrderSum[]>;
  /** Callbacks and events of webhook endpoints, by the day on which they were made. */
  callbacks(query: OverviewQuery): Promise<ReadonlyMap<CallbackStatus, number>>;
  gatewayDays(query: OverviewQuery): Promise<readonly (GatewaySum & { readonly day: Millis })[]>;
  /** The `limit` methods with the most requests, most first. */
  gatewayMethods(query: OverviewQuery, limit: number): Promise<readonly (GatewaySum & { readonly method: string })[]>;
}
