import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { mayAnswer } from '../../adapters/http/express/client-error.ts';
import type { ClientError } from '../../adapters/http/express/client-error.ts';
import { ignoreUpgrade, wantsWebSocket } from '../../adapters/http/express/ignore-upgrade.ts';
import {
  Allowance,
  AppLimits,
  DEFAULT_LIMIT_PER_ACCOUNT,
  PrepaidBalances,
  Quotas,
  ShownBlocks,
  UsageMeter,
} from '../../core/index.ts';
import type {
  AdmissionCount,
  AppId,
  CacheStore,
  Clock,
  GatewayRoute,
  GatewayRouteTable,
  KeyDirectory,
  Logger,
  Metrics,
  UpstreamView,
} from '../../core/index.ts';
import { BufferBudget } from './buffer-budget.ts';
import { createFastPath } from './fast-path/index.ts';
import type { FastPath } from './fast-path/index.ts';
import type { GatewayClient } from './gateway-client.ts';
import { GatewayMetrics } from './gateway-metrics.ts';
import { HealthChecks } from './health-checks.ts';
import { HttpExchange } from './http-exchange.ts';
import type { HttpExchangeDeps } from './http-exchange.ts';
import { HttpServerClient } from './http-server-client.ts';
import { LiveRoutes } from './live-route.ts';
import { logRefusal } from './exchange-report.ts';
import { endWithRefusal, isEnding } from './refusal-response.ts';
import { ResponseCache } from './reads/response-cache.ts';
import { RequestCoalescer } from './reads/request-coalescing.ts';
import { SharedAnswers } from './reads/shared-answers.ts';
import { RequestAuthorizer } from './request-authorizer.ts';
import { newRequestContext, receivedByNode } from './request-context.ts';
import type { ReceivedRequest } from './request-context.ts';
import { unreadableHost, unreadableRefusal, unreadableRequest } from './unreadable-request.ts';
import { GateSale } from './sale/gate-sale.ts';
import type { GatewaySales } from './sale/gate-sale.ts';
import { TimeoutQueue } from './timeout-queue.ts';
import { addressOf, WebSockets } from './websockets.ts';

export type { GatewaySales };

export interface GatewayDeps {
  /** The current routes; may return another table at each call. */
  readonly routes: () => GatewayRouteTable;
  readonly directory: KeyDirectory;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly traceId: () => string;
  /** In memory by default, for this instance only. */
  readonly limiter?: AppLimits;
  /** Counts the calls of Apps; discarded by default. */
  readonly meter?: UsageMeter;
  /** The remaining units of Apps; by default only their quotas, counted by this instance since its start. */
  readonly allowance?: Allowance;
  /** The interval of the upstreams' health checks, in milliseconds; 0 for none. */
  readonly healthIntervalMs?: number;
  /** Limit for the unfinished bodies of all requests together. */
  readonly maxKeptBytes?: number;
  /** The blocks that were answered, to exchange them with other instances; by default there are none. */
  readonly shownBlocks?: ShownBlocks;
  /** The limit of all Apps of an account together, as a multiple of one App's limit. */
  readonly limitPerAccount?: () => number;
  /** Whether the upstreams of a route may be at private addresses. By default those of each: nobody but the operator makes routes then. */
  readonly allowsPrivate?: (route: GatewayRoute) => boolean;
  /** Sells plans with refusals; by default nothing is sold. */
  readonly sales?: GatewaySales | null;
  /** The number of the operator's proxies in front, whose entries of `X-Forwarded-For` are trusted. 0 by default. */
  readonly trustedHops?: () => number;
  /** Answers that instances share; by default each instance caches for itself. */
  readonly sharedCache?: CacheStore | null;
  /** False to read and send every request with node:http and undici; true by default. See fast-path/README.md. */
  readonly fastPath?: boolean;
  /**
   * After this time without a block, in milliseconds, it is checked whether the node of a shared subscription is behind;
   * by default some blocks of the chain.
   */
  readonly subscriptionSilenceMs?: number;
  /** False refuses keys in the path as unknown, for proxies in front that log paths. True by default. */
  readonly keysInPath?: boolean;
}

/** The node gateway. Requests must come directly from Node's HTTP server, with their bodies unread. */
export interface Gateway {
  /** True for a `Host` header of one of the gateway's routes. */
  handles(hostHeader: string | undefined): boolean;
  /** For the server's events `request` and `checkContinue`. */
  request(req: IncomingMessage, res: ServerResponse): void;
  /** For the server's events `upgrade` and `connect`. A request for another protocol than WebSocket is ignored. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * For the server's event `clientError`. Returns false, for the caller to answer, unless the gateway owns the request.
   */
  clientError(error: ClientError, socket: Duplex): boolean;
  /**
   * Lets the fast path read the connections of a plain-text server first. The server's events still need their
   * handlers, because all other requests arrive there. Does nothing when the fast path is off.
   */
  attach(server: Server): void;
  /** The admission decisions on an App's requests on this instance. */
  admissionTally(appId: AppId): readonly AdmissionCount[];
  /** This instance's view of a route's upstreams, in their order; `null` for one that it does not use. */
  upstreamHealth(route: GatewayRoute): readonly (UpstreamView | null)[];
  /** Follows the current routes at once; without it that happens with the next request. */
  refresh(): void;
  /** Passes on the counts of the last half second; call it before metrics are read. */
  flush(): void;
  /** Closes WebSockets and upstream connections at once, also during a request. */
  close(): Promise<void>;
}

const HEALTH_INTERVAL_MS = 10_000;
const MAX_KEPT_BYTES = 256 * 1024 * 1024;
/** The limit for cached answers of all routes together. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024;

/** Creates a gateway; its health checks begin at once. */
export function createGateway(deps: GatewayDeps): Gateway {
  return new HttpGateway(deps);
}

class HttpGateway implements Gateway {
  readonly #deps: GatewayDeps;
  readonly #routes: LiveRoutes;
  readonly #metrics: GatewayMetrics;
  readonly #timeoutQueue = new TimeoutQueue();
  readonly #fastPath: FastPath | null;
  readonly #exchangeDeps: HttpExchangeDeps;
  readonly #checks: HealthChecks;
  readonly #sockets: WebSockets;
  readonly #unsubscribe: () => void;
  readonly #shared: SharedAnswers | null;

  constructor(deps: GatewayDeps) {
    const { directory, clock, logger } = deps;
    const {
      limiter = new AppLimits(),
      meter = new UsageMeter(clock),
      allowance = new Allowance(new Quotas(clock), new PrepaidBalances(() => '')),
      healthIntervalMs = HEALTH_INTERVAL_MS,
      maxKeptBytes = MAX_KEPT_BYTES,
      fastPath = true,
      keysInPath = true,
      shownBlocks = new ShownBlocks(),
      sales = null,
      trustedHops = () => 0,
      sharedCache = null,
      limitPerAccount = () => DEFAULT_LIMIT_PER_ACCOUNT,
      allowsPrivate = () => true,
      subscriptionSilenceMs: silenceMs = null,
    } = deps;
    this.#deps = deps;
    this.#fastPath = fastPath
      ? createFastPath(this.#timeoutQueue, (error) => logger.error('a gateway connection failed', { error }))
      : null;
    const openRawTransport = this.#fastPath?.openTransport ?? null;
    this.#routes = new LiveRoutes({
      table: deps.routes,
      ...{ logger, openRawTransport, limitPerAccount, allowsPrivate, shownBlocks },
    });
    this.#metrics = new GatewayMetrics(deps.metrics);
    const authorizer = new RequestAuthorizer({
      routes: this.#routes,
      directory,
      clock,
      limits: limiter,
      allowance,
      keysInPath,
      trustedHops,
    });
    const common = { authorizer, metrics: this.#metrics, meter, allowance, logger };
    const budget = new BufferBudget(maxKeptBytes);
    const cache = new ResponseCache(MAX_CACHE_BYTES);
    this.#shared =
      sharedCache === null ? null : new SharedAnswers({ store: sharedCache, cache, logger, metrics: this.#metrics });
    const coalescer = new RequestCoalescer({ metrics: this.#metrics, budget, cache, shared: this.#shared });
    const sale =
      sales === null ? null : new GateSale({ ...sales, ...common, clock, directory, routes: deps.routes, trustedHops });
    this.#exchangeDeps = { ...common, sale, timeoutQueue: this.#timeoutQueue, budget, coalescer };
    this.#checks = new HealthChecks({
      routes: this.#routes,
      metrics: this.#metrics,
      logger,
      intervalMs: healthIntervalMs,
    });
    this.#sockets = new WebSockets({ ...common, routes: this.#routes, directory, silenceMs });
    // A request under way must not go on to an upstream that was cordoned meanwhile, although no other one arrives.
    this.#unsubscribe = directory.onChange(() => this.#routes.refresh());
  }

  handles(hostHeader: string | undefined): boolean {
    return hostHeader !== undefined && this.#deps.routes().find(hostHeader) !== null;
  }

  request(req: IncomingMessage, res: ServerResponse): void {
    if (!isEnding(req.socket)) this.#start(new HttpServerClient(req, res), receivedByNode(req, false));
  }

  attach(server: Server): void {
    this.#fastPath?.attach(server, {
      serves: (host) => this.handles(host),
      onRequest: (client, request) => this.#start(client, request),
      plainCalls: { ...this.#exchangeDeps, clock: this.#deps.clock, traceId: this.#deps.traceId },
    });
  }

  #start(client: GatewayClient, received: ReceivedRequest): void {
    new HttpExchange(this.#exchangeDeps, client, newRequestContext(this.#deps.traceId(), received, client)).start();
  }

  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (isEnding(socket)) {
      socket.destroy();
      return;
    }
    if (req.method !== 'CONNECT' && !wantsWebSocket(req)) {
      ignoreUpgrade(req, socket, head);
      return;
    }
    const context = newRequestContext(this.#deps.traceId(), receivedByNode(req, true), { peer: addressOf(req) });
    try {
      this.#sockets.upgrade(req, socket, head, context);
    } catch (error) {
      this.#deps.logger.error('a gateway upgrade failed', { error, trace_id: context.traceId });
      socket.destroy();
    }
  }

  clientError(error: ClientError, socket: Duplex): boolean {
    const host = unreadableHost(error, socket);
    if (host === null || !this.handles(host)) return false;
    if (!mayAnswer(error, socket)) {
      socket.destroy();
      return true;
    }
    const context = newRequestContext(this.#deps.traceId(), unreadableRequest(host));
    context.live = this.#routes.find(host);
    const refusal = unreadableRefusal(error);
    logRefusal(this.#deps.logger, context, refusal);
    endWithRefusal(socket, context, refusal);
    return true;
  }

  admissionTally(appId: AppId): readonly AdmissionCount[] {
    return this.#metrics.tally(appId);
  }

  upstreamHealth(route: GatewayRoute): readonly (UpstreamView | null)[] {
    return this.#routes.health(route, performance.now());
  }

  refresh(): void {
    this.#routes.refresh();
  }

  flush(): void {
    this.#metrics.flush();
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    this.#checks.close();
    this.#sockets.close();
    this.#fastPath?.close();
    await this.#routes.close();
    this.#shared?.close();
    this.#timeoutQueue.close();
    this.#metrics.close();
  }
}

/** Connect-style middleware; the signature fits Express without depending on it. */
export type GatewayMiddleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * The gateway as middleware, for applications that have their own listener. Mount it before anything that reads bodies,
 * and pass the server's events `checkContinue`, `upgrade`, `connect` and `clientError` to the gateway as well.
 */
export function gatewayMiddleware(gateway: Gateway): GatewayMiddleware {
  return (req, res, next) => {
    if (gateway.handles(req.headers.host)) gateway.request(req, res);
    else next();
  };
}
