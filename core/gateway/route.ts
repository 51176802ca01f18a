import type { ChainCode, RouteId } from '../kernel/index.ts';
import { NO_CORDONS } from './cordon.ts';
import type { Cordons } from './cordon.ts';

/** The protocol of a route. */
export type RouteProtocol = 'jsonrpc' | 'http' | 'websocket';

/** How admission is applied: not at all, recorded only, or enforced. */
export const ADMISSION_MODES = ['disabled', 'shadow', 'enforce'] as const;
export type AdmissionMode = (typeof ADMISSION_MODES)[number];

/** A node behind a route. Its headers, such as a provider's credentials, are added to each request. */
export interface RouteUpstream {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Methods by exact name or `prefix*`. A method is allowed when it is in `allow` and not in `deny`. An empty `allow`
 * stands for the methods that wallets and applications need of the chain's family.
 */
export interface MethodRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Limits of each App on a route. `null` is no limit. */
export interface AdmissionLimits {
  readonly requestsPerSecond: number | null;
  /** The most requests at once after a pause; at least `requestsPerSecond`. */
  readonly burst: number | null;
  readonly concurrency: number | null;
}

/** A rate of the calls of each App of some methods. */
export interface MethodRate {
  readonly requestsPerSecond: number;
  /** The most calls at once after a pause; `null` for as many as in a second. */
  readonly burst: number | null;
}

/** Rates by a method's name or `prefix*`. A call counts for its name, or else for its longest prefix. */
export type MethodRates = Readonly<Record<string, MethodRate>>;

/** The limits of a route: of each App, and of each App's calls of some methods. */
export interface RouteLimits extends AdmissionLimits {
  /** None by default. On routes of the protocol `http` the methods are those of HTTP. */
  readonly methods?: MethodRates;
}

/** The limits that apply to a request: of its App, and of all Apps of its account together. */
export interface EffectiveLimits {
  readonly app: AdmissionLimits;
  readonly account: AdmissionLimits;
}

/** Timeouts of upstreams, in milliseconds. */
export interface RouteTimeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
}

/** The web pages that may use a route. */
export interface CorsRules {
  /** Origins as browsers write them, such as `https://app.example`; `*` for any. */
  readonly origins: readonly string[];
}

/** The cost of a call by exact method name: integers from 0; `*` stands for every other method, 1 by default. */
export type MethodUnits = Readonly<Record<string, number>>;

/** One gateway; the request's host selects it. */
export interface GatewayRoute {
  readonly id: RouteId;
  /** Lower case, without a port; unique. */
  readonly host: string;
  readonly chain: ChainCode;
  readonly network: string;
  readonly protocol: RouteProtocol;
  readonly upstreams: readonly RouteUpstream[];
  readonly admission: AdmissionMode;
  readonly enabled: boolean;
  readonly methods: MethodRules;
  readonly limits: RouteLimits;
  readonly timeouts: RouteTimeouts;
  readonly cors: CorsRules;
  readonly units: MethodUnits;
  readonly reads: ReadRules;
  readonly maxBodyBytes: number;
  readonly maxBatch: number;
  /** The plans that a refusal for a missing key or for no units left offers; empty for none. */
  readonly plans: readonly string[];
}

export const NO_LIMITS: AdmissionLimits = { requestsPerSecond: null, burst: null, concurrency: null };
/** The limit of an account is this many times the route's limit for each App. */
export const DEFAULT_LIMIT_PER_ACCOUNT = 10;
export const DEFAULT_TIMEOUTS: RouteTimeouts = { connectMs: 5_000, firstByteMs: 30_000, idleMs: 60_000 };
/** CORS `*` is safe: a key is no ambient credential like a cookie, and only pages whose author has it can use it. */
export const DEFAULT_CORS: CorsRules = { origins: ['*'] };
export const DEFAULT_MAX_BODY_BYTES = 5 * 1024 * 1024;
export const DEFAULT_MAX_BATCH = 1_000;

/** The routes by host. The host is compared exactly, after its port was removed and its case folded. */
export class GatewayRouteTable {
  /** The upstreams that are out of use. */
  readonly cordons: Cordons;
  readonly #byHost: ReadonlyMap<string, GatewayRoute>;

  constructor(routes: Iterable<GatewayRoute>, cordons = NO_CORDONS) {
    this.cordons = cordons;
    this.#byHost = new Map([...routes].map((route) => [route.host, route]));
  }

  get isEmpty(): boolean {
    return this.#byHost.size === 0;
  }

  all(): Iterable<GatewayRoute> {
    return this.#byHost.values();
  }

  /** The route of a `Host` header; `null` for a host that is not served. */
  find(hostHeader: string): GatewayRoute | null {
    const colon = hostHeader.indexOf(':');
    const name = colon < 0 ? hostHeader : PORT.test(hostHeader.slice(colon)) ? hostHeader.slice(0, colon) : '';
    return this.#byHost.get(name.toLowerCase()) ?? null;
  }
}

const PORT = /^:\d{1,5}$/;

/**
 * How a WebSocket route of Ethereum's family serves `eth_subscribe`: `shared` by one subscription at a node for all
 * clients, which is replaced when the node ends; `bridge` by one at a node for each, which ends with the node.
 */
export const SUBSCRIPTION_MODES = ['shared', 'bridge'] as const;
export type SubscriptionMode = (typeof SUBSCRIPTION_MODES)[number];

/** How many blocks' logs are read at once. */
export interface LogRules {
  /** The most blocks that one call to an upstream may read. */
  readonly maxRange: number;
  /** The most parts that a call over more blocks is split into (JSON-RPC); 1 refuses it. */
  readonly splitInto: number;
  /** The most logs in an answer that was joined from parts. */
  readonly maxResults: number;
}

/** What a route's {@link LogRules} need not say. */
export const DEFAULT_LOGS: Omit<LogRules, 'maxRange'> = { splitInto: 1, maxResults: 10_000 };

/** How a route sends reads to its nodes (JSON-RPC and WebSocket). `null` means the chain's default, or off. */
export interface ReadRules {
  /**
   * The most blocks by which an upstream may be behind the foremost one and still get reads of the newest block;
   * `null`: derived from the chain's block interval.
   */
  readonly headLagBlocks: number | null;
  /**
   * Whether an App's reads of the newest block stay with one upstream, so that none is answered from an older block
   * than a former one (JSON-RPC of Ethereum's family).
   */
  readonly monotonic: boolean;
  /** How many blocks calls of `eth_getLogs` may read. */
  readonly logs: LogRules | null;
  /** The time without an answer after which a read is also sent to a second upstream, in milliseconds (JSON-RPC). */
  readonly hedgeAfterMs: number | null;
  /** Whether identical reads in flight at the same time are sent once. */
  readonly dedupe: boolean;
  /** Whether answers about final blocks are cached in memory (JSON-RPC of Ethereum's family). */
  readonly cache: boolean;
  readonly subscriptions: SubscriptionMode;
}

export const DEFAULT_READS: ReadRules = {
  headLagBlocks: null,
  monotonic: true,
  logs: null,
  hedgeAfterMs: null,
  dedupe: false,
  cache: false,
  subscriptions: 'shared',
};
