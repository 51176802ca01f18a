import type { StoredCordon } from './cordon.ts';
import type { GatewayRoute } from './route.ts';
import type { Millis, RouteId } from '../kernel/index.ts';

/** A stored gateway route. Its upstreams are encrypted, because addresses and headers may contain a provider's credentials. */
export interface StoredRoute extends Omit<GatewayRoute, 'upstreams'> {
  /** The encrypted upstreams as JSON, in the context `route:<id>`. */
  readonly sealedUpstreams: string;
  readonly createdAt: Millis;
  readonly modifiedAt: Millis;
}

/** Gateway routes kept in the database. */
export interface RouteStore {
  /** Every route, oldest first. */
  all(): Promise<readonly StoredRoute[]>;
  find(id: RouteId): Promise<StoredRoute | null>;
  /** The cordoned upstreams of every route, also of those of the configuration, oldest first. */
  cordons(): Promise<readonly StoredCordon[]>;
}

/** Gateway routes, inside a transaction. Each write is published to the change feed by the same transaction. */
export interface RouteWrites {
  /** The route, locked until the transaction ends. */
  lock(id: RouteId): Promise<StoredRoute | null>;
  /** False when the host is taken. */
  create(route: StoredRoute): Promise<boolean>;
  /** Replaces a route; false when its new host is taken. */
  replace(route: StoredRoute): Promise<boolean>;
  /** The cordoned upstreams of a route, oldest first. Until the transaction ends, no other one changes them. */
  lockCordons(id: RouteId): Promise<readonly StoredCordon[]>;
  addCordon(cordon: StoredCordon): Promise<void>;
  removeCordon(cordon: Pick<StoredCordon, 'id' | 'routeId'>): Promise<void>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly routes: RouteStore;
  }
  interface Transaction {
    readonly routes: RouteWrites;
  }
}
