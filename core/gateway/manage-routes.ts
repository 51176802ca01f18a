import type { GatewayRoute } from './route.ts';
import type { RouteChanges, RouteInput, RouteRecord, Routes } from './routes.ts';
import type { UpstreamView } from './upstream-health.ts';
import type { RouteId, UpstreamId } from '../kernel/index.ts';
import { isId, partOf } from '../kernel/index.ts';
import { listPage, recordNotFound, requireAdmin } from '../access/index.ts';
import type { Actor, AuditDeps, CursorPage, CursorRequest, ListDeps } from '../access/index.ts';
import { traceOf } from './gateway-audit.ts';

export interface ManageRoutesDeps extends AuditDeps, ListDeps {
  readonly routes: Routes;
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
   * Routes, newest first, then those of the configuration by host.
   *
   * @throws TillgateError `FORBIDDEN` for a user; `INVALID_FIELDS` for a limit out of range or a cursor of another list
   */
  async list(actor: Actor, page: CursorRequest): Promise<CursorPage<RouteRecord>> {
    requireAdmin(actor);
    return listPage(
      ['gateways', actor.accountId],
      page,
      this.#deps,
      async (limit, after: { readonly id: RouteId } | null) => {
        const all = (await this.all()).toSorted((a, b) => inList(a.route.id, b.route.id));
        const rest = after === null ? all : all.filter(({ route }) => inList(after.id, route.id) < 0);
        return partOf(rest, limit, ({ route }) => ({ id: route.id }));
      },
    );
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

  /** As {@link Routes.cordon}. @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, `NOT_READY` */
  async cordon(actor: Actor, id: RouteId, upstream: UpstreamId): Promise<RouteRecord> {
    requireAdmin(actor);
    return this.#deps.routes.tracedBy(traceOf(this.#deps, actor)).cordon(id, upstream);
  }

  /** As {@link Routes.uncordon}. @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, `NOT_READY` */
  async uncordon(actor: Actor, id: RouteId, upstream: UpstreamId): Promise<RouteRecord> {
    requireAdmin(actor);
    return this.#deps.routes.tracedBy(traceOf(this.#deps, actor)).uncordon(id, upstream);
  }
}

/** Compares two routes by their place in the list: only those of the database have an id. */
function inList(a: RouteId, b: RouteId): number {
  if (isId(a) !== isId(b)) return isId(a) ? -1 : 1;
  if (a === b) return 0;
  return a > b === isId(a) ? -1 : 1;
}
