import { performance } from 'node:perf_hooks';
import {
  chooseHome,
  chooseSecond,
  chooseUpstream,
  hasReached,
  MeteredRoute,
  MethodPolicy,
  newestShown,
  offeredMethods,
  ratedMethods,
  RequestBudget,
  routeLimits,
} from '../../core/index.ts';
import type {
  ChainEnd,
  Choice,
  Cordons,
  EffectiveLimits,
  GatewayRoute,
  GatewayRouteTable,
  Logger,
  Millis,
  Need,
  RatedMethods,
  RouteId,
  RouteUpstream,
  ShownBlocks,
  UpstreamView,
} from '../../core/index.ts';
import { isCallableHost } from '../../adapters/callbacks/checked-lookup.ts';
import { chainFacts } from './chain-facts.ts';
import type { ChainFacts } from './chain-facts.ts';
import { FinalBlock } from './reads/final-block.ts';
import type { OpenRawTransport } from './upstream-request.ts';
import { Upstream } from './upstream.ts';

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'ws:', 'wss:']);
const CLOSE_GRACE_MS = 60_000;

/** A route with its method policy and its upstreams. */
export interface LiveRoute {
  readonly route: GatewayRoute;
  readonly chain: ChainFacts;
  readonly policy: MethodPolicy;
  readonly limits: EffectiveLimits;
  /** The rates of calls by their methods; `null` for a route without any. */
  readonly rates: RatedMethods | null;
  readonly metered: MeteredRoute;
  readonly upstreams: readonly Upstream[];
  /** Whether an App's reads of the newest block stay with one upstream. */
  readonly monotonic: boolean;
  /** Whether a read may get the answer to an equal one, in flight or from the cache. */
  readonly reusesAnswers: boolean;
  /**
   * Tracks the newest final block where answers are cached. A changed route gets a new one, which empties the cache.
   */
  readonly final: FinalBlock | null;
  /** Limits how many reads are sent to a second upstream; `null` when none are. */
  readonly hedges: RequestBudget | null;
  /** Limits how many requests go on to another upstream after a fault of the first one. */
  readonly retries: RequestBudget;
  /** The same where the first one does not have what is asked for: callers choose that. */
  readonly detours: RequestBudget;
}

/** True for an upstream that was removed from the route or cordoned, while another one is in use. */
export function isOutOfUse({ upstreams }: LiveRoute, upstream: Upstream): boolean {
  return !upstreams.includes(upstream) || (upstream.cordoned && upstreams.some(({ cordoned }) => !cordoned));
}

/** A request that depends, or may depend, on the newest block. */
export const NEWEST_BLOCK = Infinity;
/** A tenth of the reads may be sent to a second upstream, and at most this many at once. */
const HEDGES = { requestsForOne: 10, burst: 10 };
/**
 * A fifth of the requests may go on to another upstream after a fault. A node that begins to fail does so for everything
 * that is under way.
 */
const RETRIES = { requestsForOne: 5, burst: 500 };

/** What is not read: a WebSocket, or a request that is not JSON-RPC. */
export const ANYTHING: Need = { methods: [], block: NEWEST_BLOCK, range: 0 };

/**
 * The next upstream to try; `null` when all others are down, or are behind what was answered already.
 *
 * @param spread - of the App, where its reads of the newest block stay with one upstream; otherwise `null`
 */
export function nextUpstream(
  live: LiveRoute,
  excluded: readonly Upstream[],
  need: Need,
  spread: number | null,
): Upstream | null {
  const choice = choiceOf(live, need);
  return spread === null || need.block !== NEWEST_BLOCK
    ? chooseUpstream(live.upstreams, excluded, choice)
    : chooseHome(live.upstreams, excluded, choice, spread);
}

/** A second upstream for a read that the first one answers slowly; `null` when none is suitable. */
export function secondUpstream(live: LiveRoute, first: Upstream, need: Need, spread: number | null): Upstream | null {
  const choice = choiceOf(live, need);
  const block = spread === null || need.block !== NEWEST_BLOCK ? 0 : newestShown(live.upstreams, choice.now);
  const [upstreams, now] = [live.upstreams.filter((upstream) => hasReached(upstream, block)), choice.now];
  const second = chooseSecond(upstreams, first, choice);
  // Whichever of the two answers, the next one must not be behind it.
  if (second !== null && block > 0) first.shown.leave(now);
  return second;
}

/** A number far above the others' heads is not believed. @param block - the number that an answer names */
export function believable({ chain, upstreams }: LiveRoute, block: number): number {
  const heads = upstreams.flatMap(({ health: { head } }) => head ?? []);
  return heads.length === 0 ? block : Math.min(block, Math.max(...heads) + chain.finalityBlocks);
}

function choiceOf({ route, chain, upstreams }: LiveRoute, need: Need): Choice<Upstream> {
  const now = performance.now();
  const known = upstreams.some(({ abilities }) => abilities.lacksAnything(now));
  return {
    now,
    lacks: known ? ({ abilities }) => abilities.lacks(need, now) : null,
    block: need.block,
    maxLag: chain.maxLagBlocks,
    headLag: route.reads.headLagBlocks ?? chain.headLagBlocks,
    draw: (below) => Math.floor(Math.random() * below),
  };
}

const newRetryBudget = (): RequestBudget => new RequestBudget(RETRIES.requestsForOne, RETRIES.burst);

/** The highest block that an upstream in use has reported, and how far below it a block is final. */
export function chainEnd({ chain, upstreams }: LiveRoute): ChainEnd {
  const heads = upstreams.flatMap(({ cordoned, health: { head } }) => (cordoned ? [] : (head ?? [])));
  return { head: heads.length === 0 ? null : Math.max(...heads), finalityBlocks: chain.finalityBlocks };
}

/** Upstreams with the same name share connections and health. */
const nameOf = ({ id, timeouts }: GatewayRoute, { url, headers }: RouteUpstream): string =>
  JSON.stringify([id, url, headers, timeouts.connectMs]);

function isUsable(text: string, allowPrivate: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return SCHEMES.has(protocol) && isCallableHost(hostname, allowPrivate);
}

/** The dependencies of {@link LiveRoutes}. */
export interface LiveRoutesDeps {
  readonly shownBlocks: ShownBlocks;
  readonly table: () => GatewayRouteTable;
  readonly logger: Logger;
  readonly openRawTransport: OpenRawTransport | null;
  /** The limit of all Apps of an account together, as a multiple of one App's limit. */
  readonly limitPerAccount: () => number;
  /** Whether the upstreams of a route may be in private networks. */
  readonly allowsPrivate: (route: GatewayRoute) => boolean;
}

/** The routes of the current table. A new table keeps the connections of unchanged upstreams. */
export class LiveRoutes {
  readonly #table: () => GatewayRouteTable;
  readonly #logger: Logger;
  readonly #openRawTransport: OpenRawTransport | null;
  readonly #limitPerAccount: () => number;
  readonly #allowsPrivate: LiveRoutesDeps['allowsPrivate'];
  readonly #shownBlocks: ShownBlocks;
  #current: GatewayRouteTable | null = null;
  #live = new Map<GatewayRoute, LiveRoute>();
  #upstreams = new Map<string, Upstream>();

  constructor({ table, logger, openRawTransport, limitPerAccount, allowsPrivate, shownBlocks }: LiveRoutesDeps) {
    this.#table = table;
    this.#shownBlocks = shownBlocks;
    this.#logger = logger;
    this.#openRawTransport = openRawTransport;
    this.#limitPerAccount = limitPerAccount;
    this.#allowsPrivate = allowsPrivate;
  }

  /** The current table; another one after any change. */
  get table(): GatewayRouteTable {
    return this.#refreshed();
  }

  /** The route of a `Host` header; `null` for an unknown host. */
  find(hostHeader: string): LiveRoute | null {
    const table = this.#refreshed();
    const route = table.find(hostHeader);
    return route === null ? null : (this.#live.get(route) ?? null);
  }

  /** The route with this id; `null` for none, and for one that is disabled. */
  byId(id: RouteId): LiveRoute | null {
    for (const live of this.all()) if (live.route.id === id) return live.route.enabled ? live : null;
    return null;
  }

  all(): Iterable<LiveRoute> {
    this.#refreshed();
    return this.#live.values();
  }

  /** Follows the current table at once, for requests that are under way. */
  refresh(): void {
    this.#refreshed();
  }

  /** The upstreams of a route in their order; `null` for one that is not in use. */
  health(route: GatewayRoute, now: Millis): readonly (UpstreamView | null)[] {
    this.#refreshed();
    const used = route.upstreams.map((one) => this.#upstreams.get(nameOf(route, one)) ?? null);
    const heads = used.flatMap((upstream) => upstream?.health.head ?? []);
    const foremost = heads.length === 0 ? null : Math.max(...heads);
    return used.map((upstream) =>
      upstream === null ? null : { ...upstream.health.view(now, foremost), ...upstream.abilities.view(now) },
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#upstreams.values()].map((upstream) => upstream.close()));
  }

  #refreshed(): GatewayRouteTable {
    const table = this.#table();
    if (table !== this.#current) this.#follow(table);
    return table;
  }

  #follow(table: GatewayRouteTable): void {
    const former = this.#upstreams;
    this.#upstreams = new Map();
    this.#live = new Map([...table.all()].map((route) => [route, this.#liveRoute(route, former, table.cordons)]));
    this.#current = table;
    this.#shownBlocks.follow(
      [...this.#live.values()].flatMap(({ route, monotonic, upstreams }) =>
        monotonic ? upstreams.map(({ seed, shown }) => ({ routeId: route.id, seed, shown })) : [],
      ),
    );
    for (const [name, upstream] of former) if (!this.#upstreams.has(name)) void upstream.closeWhenIdle(CLOSE_GRACE_MS);
  }

  #liveRoute(route: GatewayRoute, former: ReadonlyMap<string, Upstream>, cordons: Cordons): LiveRoute {
    const allowPrivate = this.#allowsPrivate(route);
    const usable = route.upstreams.filter(({ url }) => isUsable(url, allowPrivate));
    // One invalid upstream does not affect the others.
    if (usable.length < route.upstreams.length)
      this.#logger.error('a gateway route has an upstream whose URL is not valid or not allowed', {
        route: route.host,
      });
    const upstreams = usable.map((one) => {
      const name = nameOf(route, one);
      const upstream =
        this.#upstreams.get(name) ??
        former.get(name) ??
        new Upstream(one, route.timeouts, this.#openRawTransport, allowPrivate);
      upstream.cordoned = cordons.has(route.id, one.url);
      this.#upstreams.set(name, upstream);
      return upstream;
    });
    const perAccount = this.#limitPerAccount();
    const limits = routeLimits(route, perAccount);
    const rates = ratedMethods(route.limits.methods, perAccount);
    const chain = chainFacts(route.chain);
    const { cache, dedupe } = route.reads;
    const kept = cache && route.protocol === 'jsonrpc' && chain.family === 'evm';
    const final = kept ? new FinalBlock(chain.finalityBlocks) : null;
    const monotonic =
      route.reads.monotonic && route.protocol === 'jsonrpc' && chain.family === 'evm' && upstreams.length > 1;
    const reusesAnswers = dedupe || final !== null;
    const policy = new MethodPolicy(route.methods, offeredMethods(chain.family));
    const hedged = route.reads.hedgeAfterMs !== null && route.protocol === 'jsonrpc' && upstreams.length > 1;
    const hedges = hedged ? new RequestBudget(HEDGES.requestsForOne, HEDGES.burst) : null;
    const [retries, detours] = [newRetryBudget(), newRetryBudget()];
    const metered = new MeteredRoute(route);
    return {
      route,
      chain,
      policy,
      limits,
      rates,
      metered,
      upstreams,
      monotonic,
      reusesAnswers,
      final,
      hedges,
      retries,
      detours,
    };
  }
}
