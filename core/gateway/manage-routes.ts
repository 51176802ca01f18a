import type { GatewayRoute } from './route.ts';
import type { RouteChanges, RouteInput, RouteRecord, Routes } from './routes.ts';
import type { UpstreamView } from './upstream-health.ts';
import type { Page, PageRequest, RouteId } from '../kernel/index.ts';
import { checkPage, pageOf } from '../kernel/index.ts';
import { recordNotFound, requireAdmin } from '../access/index.ts';
import type { Actor, AuditDeps } from '../access/index.ts';
import { traceOf } from './gateway-audit.ts';

export interface ManageRoutesDeps extends AuditDeps {
  readonly routes: Routes;
  readonly pageMax: number;
  /** The upstreams of a route as seen by this instance, in order; `null` for one that it does not use. */
  readonly upstreamHealth?: ((route: GatewayRoute) => readonly (UpstreamView | null)[]) | undefined;
}

/** Management of gateway routes, for admins only. */
export class ManageRoutes {
  readonly #deps: ManageRoutesDeps;

  constructor(deps: ManageRoutesDeps) {
    this.#deps = deps;
  }

  /**
   * Routes, newest first, those of the configuration last. @throws TillgateError `FORBIDDEN` for a user,
   * `INVALID_FIELDS` for a page out of range
   */
  async list(actor: Actor, page: PageRequest): Promise<Page<RouteRecord>> {
    requireAdmin(actor);
    checkPage(page, this.#deps.pageMax);
    const all = (await this.all()).toReversed();
    return pageOf(page, all.length, all.slice((page.page - 1) * page.size, page.page * page.size));
  }

  /** The upstreams of a route as seen by this instance, in order; `null` for one that it does not use. */
  health(route: GatewayRoute): readonly (UpstreamView | null)[] {
    return this.#deps.upstreamHealth?.(route) ?? route.upstreams.map(() => null);
  }

  /** Every route, without checking the actor. */
  all(): Promise<readonly RouteRecord[]> {
    return this.#deps.routes.list();
  }

  /** @throws TillgateError `FORBIDDEN`, `NOT_FOUND` */
  async find(actor: Actor, id: RouteId): Promise<RouteRecord> {
    requireAdmin(actor);
    const found = await this.#deps.routes.find(id);
    if (found === null) throw recordNotFound();
    return found;
  }

  /** @throws TillgateError `FORBIDDEN`, `INVALID_FIELDS`, `STATE_CONFLICT` when the host is taken */
  async create(actor: Actor, input: RouteInput): Promise<RouteRecord> {
    requireAdmin(actor);
    return this.#deps.routes.tracedBy(traceOf(this.#deps, actor)).create(input);
  }

  /** @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, `INVALID_FIELDS`, `STATE_CONFLICT` for a route of the configuration or a taken host */
  async update(actor: Actor, id: RouteId, changes: RouteChanges): Promise<RouteRecord> {
    requireAdmin(actor);
    return this.#deps.routes.tracedBy(traceOf(this.#deps, actor)).update(id, changes);
  }
}
