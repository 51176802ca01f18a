import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppLimits } from '../../core/index.ts';
import type { AdmissionCount, AppId, Clock, KeyDirectory, Logger, Metrics, GatewayRouteTable } from '../../core/index.ts';
import { Budget } from './budget.ts';
import { Deadlines } from './deadlines.ts';
import { HttpExchange } from './exchange.ts';
import { Front } from './front.ts';
import { Gate } from './gate.ts';
import { HealthChecks } from './health-checks.ts';
import { LiveRoutes } from './live-route.ts';
import { Meter } from './meter.ts';
import type { ClientSide } from './client-side.ts';
import type { PlainRequest } from './http1/plain-request.ts';
import { NodeClient } from './node-client.ts';
import { isEnding } from './reply.ts';
import { visitOf, visitOfPlain } from './visit.ts';
import type { Visit } from './visit.ts';
import { WebSockets } from './websockets.ts';

export interface GatewayDeps {
  /** The present routes; may be another table at each call. */
  readonly routes: () => GatewayRouteTable;
  readonly directory: KeyDirectory;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly traceId: () => string;
  /** In memory, of this instance, unless told. */
  readonly limiter?: AppLimits;
  /** Between two checks of the upstreams, in milliseconds; 0 for none. */
  readonly healthIntervalMs?: number;
  /** What unfinished bodies of all requests together may take in memory. */
  readonly maxKeptBytes?: number;
}

/** The node gateway: what it is handed must come straight from Node's HTTP server, nothing of it read. */
export interface Gateway {
  /** True for a `Host` header that is one of the gateway's. */
  handles(hostHeader: string | undefined): boolean;
  /** For `request` and `checkContinue` alike. */
  request(req: IncomingMessage, res: ServerResponse): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * Reads the connections of a plain-text server straight from their sockets from now on. Requests that are plain and
   * the gateway's are answered there, at a fraction of the cost; every other connection, and each whose next request is
   * anything else, goes on to the server with all its bytes. The handlers of the server's events are needed as before.
   */
  standBefore(server: Server): void;
  /** What admission said of an App's requests on this instance (decisions, section 8, "Admission"). */
  admissionTally(appId: AppId): readonly AdmissionCount[];
  /** Hands on the counts of the last half second; to be called before metrics are read. */
  flush(): void;
  /** Closes WebSockets and the connections to upstreams, whatever is under way. */
  close(): Promise<void>;
}

const HEALTH_INTERVAL_MS = 10_000;
const MAX_KEPT_BYTES = 256 * 1024 * 1024;

/** Makes a gateway; it begins to check its upstreams at once. */
export function createGateway(deps: GatewayDeps): Gateway {
  return new NodeGateway(deps);
}

class NodeGateway implements Gateway {
  readonly #deps: GatewayDeps;
  readonly #routes: LiveRoutes;
  readonly #meter: Meter;
  readonly #deadlines = new Deadlines();
  readonly #exchange: ConstructorParameters<typeof HttpExchange>[0];
  readonly #checks: HealthChecks;
  readonly #sockets: WebSockets;
  readonly #fronts: Front[] = [];

  constructor(deps: GatewayDeps) {
    const { directory, clock, logger } = deps;
    this.#deps = deps;
    this.#routes = new LiveRoutes(deps.routes, logger, this.#deadlines);
    this.#meter = new Meter(deps.metrics);
    const gate = new Gate({ routes: this.#routes, directory, clock, limits: deps.limiter ?? new AppLimits() });
    this.#exchange = { gate, meter: this.#meter, deadlines: this.#deadlines, logger, budget: new Budget(deps.maxKeptBytes ?? MAX_KEPT_BYTES) };
    this.#checks = new HealthChecks({ routes: this.#routes, meter: this.#meter, logger, intervalMs: deps.healthIntervalMs ?? HEALTH_INTERVAL_MS });
    this.#sockets = new WebSockets({ gate, meter: this.#meter, logger, routes: this.#routes, directory });
  }

  handles(hostHeader: string | undefined): boolean {
    return hostHeader !== undefined && this.#deps.routes().find(hostHeader) !== null;
  }

  request(req: IncomingMessage, res: ServerResponse): void {
    if (isEnding(req.socket)) return;
    this.#start(new NodeClient(req, res), visitOf(req, this.#deps.traceId(), false));
  }

  standBefore(server: Server): void {
    const serves = (host: string): boolean => this.handles(host);
    const request = (client: ClientSide, plain: PlainRequest): void => this.#start(client, visitOfPlain(plain, this.#deps.traceId()));
    this.#fronts.push(new Front(server, { serves, request, deadlines: this.#deadlines }));
  }

  #start(client: ClientSide, visit: Visit): void {
    const exchange = new HttpExchange(this.#exchange, client, visit);
    try {
      exchange.start();
    } catch (error) {
      this.#deps.logger.error('a gateway request failed', { error, trace_id: visit.traceId });
      exchange.giveUp();
    }
  }

  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (isEnding(socket)) {
      socket.destroy();
      return;
    }
    const visit = visitOf(req, this.#deps.traceId(), true);
    try {
      this.#sockets.upgrade(req, socket, head, visit);
    } catch (error) {
      this.#deps.logger.error('a gateway upgrade failed', { error, trace_id: visit.traceId });
      socket.destroy();
    }
  }

  admissionTally(appId: AppId): readonly AdmissionCount[] {
    return this.#meter.tally(appId);
  }

  flush(): void {
    this.#meter.flush();
  }

  async close(): Promise<void> {
    this.#checks.close();
    this.#sockets.close();
    for (const front of this.#fronts) front.close();
    await this.#routes.close();
    this.#deadlines.close();
    this.#meter.close();
  }
}

/** Connect-style middleware; the signature fits Express without naming it. */
export type GatewayMiddleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * The gateway as middleware, for applications that have their own listener. It must come before anything that reads
 * bodies; upgrades, and `checkContinue`, have to be handed to the gateway by the server's own events.
 */
export function gatewayMiddleware(gateway: Gateway): GatewayMiddleware {
  return (req, res, next) => {
    if (gateway.handles(req.headers.host)) gateway.request(req, res);
    else next();
  };
}
