import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { allowsOrigin, isRefusal, refuse } from '../../core/index.ts';
import type { KeyDirectory, Logger, Refusal } from '../../core/index.ts';
import type { RequestAuthorizer } from './request-authorizer.ts';
import { FloodPauses } from './flood-pauses.ts';
import { HeldSockets } from './held-sockets.ts';
import type { LiveRoute, LiveRoutes } from './live-route.ts';
import { recordExchange } from './exchange-report.ts';
import type { Counters } from './exchange-report.ts';
import { guarded } from './guard-methods.ts';
import type { Abortable } from './guard-methods.ts';
import { writeRawRefusal } from './refusal-response.ts';
import { graceHeaders } from './request-context.ts';
import type { RequestContext } from './request-context.ts';
import { SubscriptionHub } from './subscriptions/subscription-hub.ts';
import { SurvivingCalls } from './subscriptions/surviving-calls.ts';
import type { SurvivingCallsDeps } from './subscriptions/surviving-calls.ts';
import { WebSocketBridge } from './websocket-bridge.ts';
import { offeredProtocols, onFlood, WebSocketOpening } from './websocket-opening.ts';
import type { OpenedWebSocket } from './websocket-opening.ts';

export interface WebSocketDeps extends Counters {
  readonly authorizer: RequestAuthorizer;
  readonly logger: Logger;
  readonly routes: LiveRoutes;
  readonly directory: KeyDirectory;
  /** After this time without a block, in milliseconds, it is checked whether a node is behind; `null` for the chain's. */
  readonly silenceMs: number | null;
}

/** The interval at which open connections are checked for expired keys and removed routes. */
const CHECK_MS = 500;
/** Timers count from the event loop's time, which may be this much behind; the pause must be over when one fires. */
const LATE_MS = 100;
const FLOODED: Partial<Refusal> = {
  message:
    'A WebSocket from this address was closed because it sent too many frames without messages; try again later.',
  retryAfterSeconds: 2,
};

/** The gateway's WebSocket routes: upgrades and open connections. */
export class WebSockets {
  readonly #deps: WebSocketDeps;
  readonly #bridges = new Set<WebSocketBridge>();
  readonly #pauses = new FloodPauses();
  readonly #held = new HeldSockets();
  readonly #hub: SubscriptionHub;
  readonly #timer = setInterval(() => this.#checkAll(), CHECK_MS).unref();
  readonly #unsubscribe: () => void;

  constructor(deps: WebSocketDeps) {
    this.#deps = deps;
    this.#hub = new SubscriptionHub(deps);
    this.#unsubscribe = deps.directory.onChange(() => this.#checkAll());
  }

  /** Checks the request, connects to an upstream, and then accepts the client's upgrade. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer, context: RequestContext): void {
    // An 'error' event without a listener would end the process.
    socket.on('error', () => socket.destroy());
    const refusal = this.#deps.authorizer.check(context) ?? checkHandshake(req);
    if (refusal !== null) {
      this.#refuse(socket, context, refusal, refusal.status === 400 ? ['Sec-WebSocket-Version', '13'] : []);
      return;
    }
    const pauseMs = this.#pauseOf(context, req);
    if (pauseMs > 0) {
      this.#held.hold(
        socket,
        pauseMs + LATE_MS,
        guarded(this.#ending(socket, context), () => this.#refuse(socket, context, refuse('rate_limited', FLOODED))),
      );
      return;
    }
    context.use?.enter();
    socket.once('close', () => context.use?.leave());
    const connect = guarded(this.#ending(socket, context), () => {
      if (!socket.destroyed) this.#connect(context.live as LiveRoute, context, { req, socket, head });
    });
    const learned = this.#deps.authorizer.learn(context);
    if (learned === null) connect();
    else void learned.then(connect);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unsubscribe();
    this.#held.close();
    for (const bridge of this.#bridges) bridge.close(1001, 'The gateway is shutting down.');
    this.#hub.close();
  }

  #connect(live: LiveRoute, context: RequestContext, client: Client): void {
    const { req, socket } = client;
    const opening = new WebSocketOpening(
      live,
      { rest: context.rest, protocols: offeredProtocols(req) },
      {
        onOpen: (opened) => this.#accept(opened, live, context, client, abandon),
        onUnavailable: (tried) => {
          const busy = tried.length === 0 ? { status: 503, retryAfterSeconds: 1 } : {};
          this.#refuse(socket, context, refuse('upstream_unavailable', busy));
        },
        onError: (error) => this.#ending(socket, context).abort(error),
      },
    );
    const abandon = (): void => opening.abandon();
    socket.once('close', abandon);
    opening.start([]);
  }

  #accept(
    opened: OpenedWebSocket,
    live: LiveRoute,
    context: RequestContext,
    { req, socket, head }: Client,
    abandon: () => void,
  ): void {
    const { connection } = opened;
    const server = new WebSocketServer({
      noServer: true,
      maxPayload: live.route.maxBodyBytes,
      perMessageDeflate: false,
      allowSynchronousEvents: false,
      clientTracking: false,
      handleProtocols: (offered) => (offered.has(connection.protocol) ? connection.protocol : false),
    });
    server.on('headers', (headers) => {
      const all = ['X-Trace-Id', context.traceId, ...graceHeaders(context.auth)];
      for (let at = 0; at < all.length; at += 2) headers.push(`${all[at] ?? ''}: ${all[at + 1] ?? ''}`);
    });
    if (socket.destroyed) abandon();
    server.handleUpgrade(req, socket, head, (client) => {
      socket.off('close', abandon);
      recordExchange(this.#deps, context, 101, 0, 0);
      const ended = (): void => {
        this.#bridges.delete(bridge);
        this.#deps.metrics.connections(live.route.host, -1);
      };
      const helper = sharesSubscriptions(live, context)
        ? (own: WebSocketBridge) => new SurvivingCalls(own, live, opened, this.#survival(live))
        : null;
      const bridge: WebSocketBridge = new WebSocketBridge(client, opened, context, this.#deps, ended, helper);
      onFlood(
        socket,
        guarded(bridge, () => {
          bridge.flooded(client);
          if (context.auth !== null) this.#pauses.begin(context.auth.key.app.id, addressOf(req), performance.now());
        }),
      );
      this.#bridges.add(bridge);
      this.#deps.metrics.connections(live.route.host, 1);
      // The key may have been revoked while the upstream was being connected.
      this.#check(bridge);
    });
  }

  #refuse(socket: Duplex, context: RequestContext, refusal: Refusal, headers: readonly string[] = []): void {
    recordExchange(this.#deps, context, refusal.status, 0, 0);
    writeRawRefusal(socket, context, refusal, headers);
  }

  /** The object to end after an internal error. */
  #ending(socket: Duplex, { traceId }: RequestContext): Abortable {
    return {
      abort: (error) => {
        this.#deps.logger.error('a gateway upgrade failed', { error, trace_id: traceId });
        socket.destroy();
      },
    };
  }

  #pauseOf({ auth }: RequestContext, req: IncomingMessage): number {
    return auth === null ? 0 : this.#pauses.leftOf(auth.key.app.id, addressOf(req), performance.now());
  }

  #survival({ route }: LiveRoute): SurvivingCallsDeps {
    return { hub: this.#hub, live: () => this.#deps.routes.byId(route.id) };
  }

  #checkAll(): void {
    guarded(this.#hub, () => this.#hub.check(performance.now()))();
    for (const bridge of this.#bridges) guarded(bridge, () => this.#check(bridge))();
  }

  #check(bridge: WebSocketBridge): void {
    const { context } = bridge;
    const auth = this.#deps.authorizer.authenticateAgain(context);
    if (isRefusal(auth)) {
      bridge.refuse(auth);
      return;
    }
    const route = this.#deps.routes.find(context.hostHeader)?.route;
    if (route?.enabled !== true) bridge.close(1001, 'route_disabled');
    else if (!allowsOrigin(route.cors, context.head?.origin ?? null)) bridge.close(4403, 'origin_not_allowed');
    else bridge.beat();
  }
}

interface Client {
  readonly req: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/**
 * Whether a client's subscriptions are shared. A query of the client goes to the node, which may give it another meaning;
 * nothing of that client is shared.
 */
function sharesSubscriptions({ route, chain }: LiveRoute, { rest }: RequestContext): boolean {
  return route.reads.subscriptions === 'shared' && chain.family === 'evm' && rest === '/';
}

/** Empty once the connection is closed. */
export const addressOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? '';

function checkHandshake({ headers }: IncomingMessage): ReturnType<typeof refuse> | null {
  const good =
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    KEY.test(headers['sec-websocket-key'] ?? '');
  return good ? null : refuse('bad_request', { message: 'The WebSocket handshake is malformed.' });
}

const KEY = /^[+/0-9A-Za-z]{22}==$/;
