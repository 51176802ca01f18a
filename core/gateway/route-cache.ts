import type { GatewaySubject } from '../ports/change-feed.ts';
import type { Logger } from '../ports/logger.ts';
import type { RouteStore } from '../ports/route-store.ts';
import type { Vault } from '../ports/vault.ts';
import type { FeedReader } from './feed-follower.ts';
import { openRoute } from './routes.ts';
import { GatewayRouteTable } from './route.ts';
import type { GatewayRoute } from './route.ts';

export interface RouteCacheDeps {
  readonly routes: RouteStore;
  readonly vault: Vault;
  readonly logger: Logger;
  /** The routes of the configuration; they take precedence over the database's. */
  readonly configured: readonly GatewayRoute[];
}

/** The routes of the configuration and of the database, the latter updated by the change feed. */
export class RouteCache implements FeedReader {
  readonly #deps: RouteCacheDeps;
  #table: GatewayRouteTable;

  constructor(deps: RouteCacheDeps) {
    this.#deps = deps;
    this.#table = new GatewayRouteTable(deps.configured);
  }

  /** The current table; a new one after each change. */
  table(): GatewayRouteTable {
    return this.#table;
  }

  async load(): Promise<void> {
    const { routes, configured } = this.#deps;
    const stored = await routes.all();
    this.#table = new GatewayRouteTable([...stored.flatMap((route) => this.#open(route)), ...configured]);
  }

  async apply(subjects: readonly GatewaySubject[]): Promise<void> {
    if (subjects.some(({ kind }) => kind === 'route')) await this.load();
  }

  /** A route whose upstreams cannot be decrypted is left out; the others are served. */
  #open(stored: Parameters<typeof openRoute>[1]): readonly GatewayRoute[] {
    const { vault, logger } = this.#deps;
    try {
      return [openRoute(vault, stored)];
    } catch (error) {
      logger.error('a gateway is not served: its upstreams do not open', {
        routeId: stored.id,
        host: stored.host,
        error,
      });
      return [];
    }
  }
}
