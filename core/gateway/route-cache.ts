import type { GatewaySubject } from './change-feed.ts';
import type { Logger, RouteId, Vault } from '../kernel/index.ts';
import type { RouteStore } from './route-store.ts';
import type { FeedReader } from './feed-follower.ts';
import type { ConfiguredRoutes } from './configured-routes.ts';
import { cordonedUrl, Cordons, NO_CORDONS } from './cordon.ts';
import type { StoredCordon } from './cordon.ts';
import { openRoute } from './routes.ts';
import { GatewayRouteTable } from './route.ts';
import type { GatewayRoute } from './route.ts';

export interface RouteCacheDeps {
  readonly routes: RouteStore;
  readonly vault: Vault;
  readonly logger: Logger;
  /** The routes of the configuration, which take precedence over those of the database. */
  readonly configured: Pick<ConfiguredRoutes, 'all' | 'onChange'>;
}

/** The routes of the configuration and of the database; the change feed updates the latter. */
export class RouteCache implements FeedReader {
  readonly #deps: RouteCacheDeps;
  #table: GatewayRouteTable;
  /** The routes of the database and the cordons, as they were read last. */
  #stored: readonly GatewayRoute[] = [];
  #cordons = NO_CORDONS;

  constructor(deps: RouteCacheDeps) {
    this.#deps = deps;
    this.#table = new GatewayRouteTable(deps.configured.all());
    deps.configured.onChange(() => this.#rebuild());
  }

  /** The current table; each change creates a new one. */
  table(): GatewayRouteTable {
    return this.#table;
  }

  async load(): Promise<void> {
    const { routes } = this.#deps;
    const [stored, cordons] = [await routes.all(), await routes.cordons()];
    this.#stored = stored.flatMap((route) => this.#open(route));
    this.#cordons = new Cordons(cordons.flatMap((cordon) => this.#openCordon(cordon)));
    this.#rebuild();
  }

  #rebuild(): void {
    this.#table = new GatewayRouteTable([...this.#stored, ...this.#deps.configured.all()], this.#cordons);
  }

  async apply(subjects: readonly GatewaySubject[]): Promise<void> {
    if (subjects.some(({ kind }) => kind === 'route')) await this.load();
  }

  /** Omits a route whose upstreams cannot be decrypted, so that the others are served. */
  #open(stored: Parameters<typeof openRoute>[1]): readonly GatewayRoute[] {
    const { vault, logger } = this.#deps;
    try {
      return [openRoute(vault, stored)];
    } catch (error) {
      logger.error('a gateway is not served, because its upstreams cannot be decrypted', {
        routeId: stored.id,
        host: stored.host,
        error,
      });
      return [];
    }
  }

  /** Omits one that cannot be decrypted: which upstream it is of is unknown. */
  #openCordon(stored: StoredCordon): readonly (readonly [RouteId, string])[] {
    const { vault, logger } = this.#deps;
    try {
      return [[stored.routeId, cordonedUrl(vault, stored)]];
    } catch (error) {
      logger.error('an upstream is not cordoned, because its URL cannot be decrypted', {
        routeId: stored.routeId,
        error,
      });
      return [];
    }
  }
}
