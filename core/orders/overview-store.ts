import type { CallbackStatus } from '../notify/index.ts';
import type { AccountId, CurrencyCode, Millis } from '../kernel/index.ts';
import type { OrderStatus } from './order-status.ts';

/** The account and the days to sum up. */
export interface OverviewQuery {
  /** `null` for all accounts. */
  readonly accountId: AccountId | null;
  /** The beginning of the first day, UTC. */
  readonly from: Millis;
  /** The end of the last day, UTC. */
  readonly to: Millis;
}

/** The sum of a day's orders with the same currency, fiat currency and status. */
export interface OrderSum {
  /** The beginning of the day on which the orders were created, UTC. */
  readonly day: Millis;
  /** `null` where the payer has not chosen one. */
  readonly currency: CurrencyCode | null;
  readonly vsCurrency: string;
  readonly status: OrderStatus;
  readonly orders: number;
  /** Confirmed units of the currency. */
  readonly received: bigint;
  /** In minor units of the fiat currency. */
  readonly vsPrice: bigint;
}

/** The sum of what Apps used of the gateway. */
export interface GatewaySum {
  readonly requests: number;
  readonly errors: number;
}

/** Sums by day. Their cost depends on the number of days and accounts, not on the number of orders. */
export interface OverviewStore {
  /** By day and currency. */
  orders(query: OverviewQuery): Promise<readonly OrderSum[]>;
  /** Callbacks and events of webhook endpoints, by the day on which they were created. */
  callbacks(query: OverviewQuery): Promise<ReadonlyMap<CallbackStatus, number>>;
  gatewayDays(query: OverviewQuery): Promise<readonly (GatewaySum & { readonly day: Millis })[]>;
  /** The `limit` methods with the most requests, most first. */
  gatewayMethods(query: OverviewQuery, limit: number): Promise<readonly (GatewaySum & { readonly method: string })[]>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly overview: OverviewStore;
  }
}
