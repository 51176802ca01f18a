import type { ChainCode } from '../kernel/asset.ts';
import type { RouteId } from '../kernel/ids.ts';
import type { ReadRules } from './read-rules.ts';

/** What a route speaks. */
export type RouteProtocol = 'jsonrpc' | 'http' | 'websocket';

/** How admission is applied: not at all, recorded only, or enforced (specification, "Admission mode"). */
export const ADMISSION_MODES = ['disabled', 'shadow', 'enforce'] as const;
export type AdmissionMode = (typeof ADMISSION_MODES)[number];

/** A node behind a route; headers go along with each request to it (credentials of a provider). */
export interface RouteUpstream {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Methods by exact name or `prefix*`. A method is allowed when `allow` has it and `deny` has it not; where `allow` is
 * empty, it is what the nodes of the chain's family are asked by wallets and applications.
 */
export interface MethodRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Limits of each App on a route. `null` is no limit. */
export interface AdmissionLimits {
  readonly requestsPerSecond: number | null;
  /** How many may come at once after a pause; at least `requestsPerSecond`. */
  readonly burst: number | null;
  readonly concurrency: number | null;
}

/** The limits of a request: of its App, and of all Apps of its account together. */
export interface EffectiveLimits {
  readonly app: AdmissionLimits;
  readonly account: AdmissionLimits;
}

/** Deadlines towards upstreams, in milliseconds. */
export interface RouteTimeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
}

/** From which web pages a route may be used (decisions, section 13). */
export interface CorsRules {
  /** As browsers write them, such as `https://app.example`; `*` for any. */
  readonly origins: readonly string[];
}

/** What a call of a method costs: whole numbers from 0 up, by exact name; `*` is every other method, and 1 where it is left out. */
export type MethodUnits = Readonly<Record<string, number>>;

/** One gateway: the request's host selects it (decisions, section 8). */
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
  readonly limits: AdmissionLimits;
  readonly timeouts: RouteTimeouts;
  readonly cors: CorsRules;
  readonly units: MethodUnits;
  readonly reads: ReadRules;
  readonly maxBodyBytes: number;
  readonly maxBatch: number;
  /** The plans that are sold with a refusal for no key, or for nothing left; empty: none are. */
  readonly plans: readonly string[];
}

export const NO_LIMITS: AdmissionLimits = { requestsPerSecond: null, burst: null, concurrency: null };
/** An account may have so many times what a route permits each of its Apps (decisions, section 11). */
export const DEFAULT_LIMIT_PER_ACCOUNT = 10;
export const DEFAULT_TIMEOUTS: RouteTimeouts = { connectMs: 5_000, firstByteMs: 30_000, idleMs: 60_000 };
/** A key is no cookie: a page has it only where its author was given it. */
export const DEFAULT_CORS: CorsRules = { origins: ['*'] };
export const DEFAULT_MAX_BODY_BYTES = 5 * 1024 * 1024;
export const DEFAULT_MAX_BATCH = 1_000;

/** The routes by host. The host is compared exactly, its port dropped and its case folded, nothing else. */
export class GatewayRouteTable {
  readonly #byHost: ReadonlyMap<string, GatewayRoute>;

  constructor(routes: Iterable<GatewayRoute>) {
    this.#byHost = new Map([...routes].map((route) => [route.host, route]));
  }

  get isEmpty(): boolean {
    return this.#byHost.size === 0;
  }

  /** Every route of the table. */
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
