import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppLimits, refuse } from '../../core/index.ts';
import type { AdmissionCount, AppId, Clock, KeyDirectory, Logger, Metrics, RouteTable } from '../../core/index.ts';
import { Budget } from './budget.ts';
import { Deadlines } from './deadlines.ts';
import { HttpExchange } from './exchange.ts';
import { Gate } from './gate.ts';
import { HealthChecks } from './health-checks.ts';
import { LiveRoutes } from './live-route.ts';
import { Meter } from './meter.ts';
import { isEnding, writeRefusal } from './reply.ts';
import { visitOf } from './visit.ts';
import { WebSockets } from './websockets.ts';

/** What a gateway needs. */
export interface GatewayDeps {
  /** The present routes; may be another table at each call. */
  readonly routes: () => RouteTable;
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

  constructor(deps: GatewayDeps) {
    const { directory, clock, logger } = deps;
    this.#deps = deps;
    this.#routes = new LiveRoutes(deps.routes, logger);
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
    const visit = visitOf(req, this.#deps.traceId(), false);
    try {
      new HttpExchange(this.#exchange, req, res, visit).start();
    } catch (error) {
      this.#deps.logger.error('a gateway request failed', { error, trace_id: visit.traceId });
      if (res.headersSent) res.destroy();
      else writeRefusal(req, res, visit, refuse('upstream_unavailable', { status: 503 }), { early: true });
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
    this.#deadlines.close();
    this.#meter.close();
    await this.#routes.close();
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
