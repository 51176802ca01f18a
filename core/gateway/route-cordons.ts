import { TillgateError } from '../kernel/index.ts';
import type { Clock, CordonId, IdGenerator, Storage, Transaction, UpstreamId, Vault } from '../kernel/index.ts';
import { canonicalUrl, cordonedUrl, Cordons, isUpstreamId, sealCordon, upstreamId } from './cordon.ts';
import type { StoredCordon } from './cordon.ts';
import { upstreamCordoned, upstreamUncordoned } from './gateway-audit.ts';
import type { Trace } from './gateway-audit.ts';
import { ROUTE_BOUNDS } from './route-fields.ts';
import { shownUpstreamUrl } from './route-places.ts';
import type { GatewayRoute } from './route.ts';

/** An upstream of a route, without its URL and headers. */
export interface UpstreamRecord {
  readonly id: UpstreamId;
  /** Whether it gets no requests, by an operator's order. */
  readonly cordoned: boolean;
}

/** The upstreams of a route, in their order. */
export function upstreamRecords(
  vault: Vault,
  { id, upstreams }: GatewayRoute,
  cordons: Cordons,
): readonly UpstreamRecord[] {
  return upstreams.map(({ url }) => ({ id: upstreamId(vault, id, url), cordoned: cordons.has(id, url) }));
}

export interface RouteCordonsDeps {
  readonly storage: Pick<Storage, 'routes' | 'feed' | 'transaction'>;
  readonly vault: Vault;
  readonly ids: IdGenerator;
  readonly clock: Clock;
}

/** A stored cordon and the URL that it is of. */
interface OpenCordon {
  readonly stored: StoredCordon;
  readonly url: string;
}

/** The upstreams that are out of use, of routes of the database and of the configuration. */
export class RouteCordons {
  readonly #deps: RouteCordonsDeps;

  constructor(deps: RouteCordonsDeps) {
    this.#deps = deps;
  }

  async all(): Promise<Cordons> {
    const { storage, vault } = this.#deps;
    const stored = await storage.routes.cordons();
    return new Cordons(stored.map((each) => [each.routeId, cordonedUrl(vault, each)] as const));
  }

  /**
   * Cordons or uncordons an upstream of a route; returns when that is in force on every instance.
   *
   * @throws TillgateError `NOT_FOUND` for an upstream that the route does not have; `NOT_READY` when it is stored but may
   *   not be in force everywhere yet
   */
  async set(route: GatewayRoute, id: UpstreamId, wanted: boolean, trace: Trace | undefined): Promise<void> {
    const { storage, vault } = this.#deps;
    const named = route.upstreams.find(({ url }) => isUpstreamId(vault, route.id, url, id));
    if (named === undefined) throw new TillgateError('NOT_FOUND', 'The gateway has no such upstream.');
    const url = canonicalUrl(named.url);
    await storage.transaction(async (tx) => {
      const stored = await tx.routes.lockCordons(route.id);
      const present = stored.map((each) => ({ stored: each, url: cordonedUrl(vault, each) }));
      const own = present.filter((each) => each.url === url);
      if (own.length > 0 === wanted) return;
      if (wanted) await this.#add(tx, route, url, present);
      for (const each of own) await tx.routes.removeCordon(each.stored);
      const entry = wanted ? upstreamCordoned : upstreamUncordoned;
      trace?.(tx, entry(route.id, upstreamId(vault, route.id, url), shownUpstreamUrl(url)));
    });
    await storage.feed.settled();
  }

  /** A route keeps as many cordons as it may have upstreams; beyond that the oldest one of a former upstream goes. */
  async #add(tx: Transaction, route: GatewayRoute, url: string, present: readonly OpenCordon[]): Promise<void> {
    const { ids, clock, vault } = this.#deps;
    const urls = new Set(route.upstreams.map((each) => canonicalUrl(each.url)));
    const former = present.find((each) => !urls.has(each.url));
    if (present.length >= ROUTE_BOUNDS.upstreams && former !== undefined) await tx.routes.removeCordon(former.stored);
    const id = ids.next() as CordonId;
    await tx.routes.addCordon(sealCordon(vault, { id, routeId: route.id, url, createdAt: clock.now() }));
  }
}
