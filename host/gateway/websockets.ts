import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { allowsOrigin, isRefusal, refuse, viaOf } from '../../core/index.ts';
import type { KeyDirectory, Logger, Refusal } from '../../core/index.ts';
import type { RequestAuthorizer } from './request-authorizer.ts';
import { FloodPauses } from './flood-pauses.ts';
import { FrameBudget } from './frame-budget.ts';
import { HeldSockets } from './held-sockets.ts';
import { ANYTHING, nextUpstream } from './live-route.ts';
import type { LiveRoute, LiveRoutes } from './live-route.ts';
import { recordExchange } from './exchange-report.ts';
import type { Counters } from './exchange-report.ts';
import { guarded } from './guard-methods.ts';
import type { Abortable } from './guard-methods.ts';
import { writeRawRefusal } from './refusal-response.ts';
import type { Upstream } from './upstream.ts';
import { graceHeaders } from './request-context.ts';
import type { RequestContext } from './request-context.ts';
import { WebSocketBridge } from './websocket-bridge.ts';

export interface WebSocketDeps extends Counters {
  readonly authorizer: RequestAuthorizer;
  readonly logger: Logger;
  readonly routes: LiveRoutes;
  readonly directory: KeyDirectory;
}

/** The interval at which open connections are checked for expired keys and removed routes. */
const CHECK_MS = 500;
/** Largest message of an upstream, in bytes. */
const MAX_UPSTREAM_BYTES = 32 * 1024 * 1024;
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
  readonly #timer = setInterval(() => this.#checkAll(), CHECK_MS).unref();
  readonly #unsubscribe: () => void;

  constructor(deps: WebSocketDeps) {
    this.#deps = deps;
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
      if (!socket.destroyed) this.#connect(context.live as LiveRoute, [], context, { req, socket, head });
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
  }

  #connect(live: LiveRoute, tried: readonly Upstream[], context: RequestContext, client: Client): void {
    const upstream = nextUpstream(live, tried, ANYTHING, null);
    if (upstream === null) {
      const refusal = refuse('upstream_unavailable', tried.length === 0 ? { status: 503, retryAfterSeconds: 1 } : {});
      this.#refuse(client.socket, context, refusal);
      return;
    }
    upstream.health.started(performance.now());
    const startedAt = performance.now();
    const connection = dial(upstream, live, client.req, context.rest);
    const abandon = (): void => connection.terminate();
    client.socket.once('close', abandon);
    let transport: Duplex | null = null;
    connection.once('upgrade', (response) => (transport = response.socket));
    const onOpen = (): void => {
      connection.off('error', onError).on('error', () => undefined);
      const now = performance.now();
      upstream.health.succeeded(now - startedAt, now);
      // Messages that arrive before the client's side is ready stay in the socket.
      connection.pause();
      this.#accept({ connection, transport }, context, client, abandon);
    };
    const failing = {
      abort: (error: unknown): void => {
        connection.on('error', () => undefined).terminate();
        this.#ending(client.socket, context).abort(error);
      },
    };
    connection.once('open', guarded(failing, onOpen));
    let refused = false;
    // An answer other than 101 may be caused by the request, and it shows that the upstream is up.
    connection.once('unexpected-response', () => {
      refused = true;
      connection.terminate();
    });
    const onError = guarded(failing, () => {
      client.socket.off('close', abandon);
      connection.on('error', () => undefined);
      if (client.socket.destroyed || refused) upstream.health.abandoned();
      else upstream.health.failed(performance.now());
      // No message of the client was sent yet, so another upstream may be tried.
      if (!client.socket.destroyed) this.#connect(live, [...tried, upstream], context, client);
    });
    connection.once('error', onError);
  }

  #accept(
    { connection, transport }: Dialled,
    context: RequestContext,
    { req, socket, head }: Client,
    abandon: () => void,
  ): void {
    const { live } = context;
    if (live === null) return;
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
      const bridge: WebSocketBridge = new WebSocketBridge(client, connection, context, this.#deps, () => {
        this.#bridges.delete(bridge);
        this.#deps.metrics.connections(live.route.host, -1);
      });
      const stop = guarded(bridge, (side: WebSocket) => bridge.flooded(side));
      onFlood(socket, () => {
        stop(client);
        if (context.auth !== null) this.#pauses.begin(context.auth.key.app.id, addressOf(req), performance.now());
      });
      if (transport !== null) onFlood(transport, () => stop(connection));
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

  #checkAll(): void {
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

interface Dialled {
  readonly connection: WebSocket;
  readonly transport: Duplex | null;
}

/** Calls `stop` when one side of a WebSocket sends too many frames without messages. */
function onFlood(socket: Duplex, stop: () => void): void {
  const budget = new FrameBudget();
  socket.prependListener('data', (chunk: Buffer) => {
    if (!budget.take(chunk, performance.now())) stop();
  });
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
const PROTOCOL = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function dial(upstream: Upstream, { route }: LiveRoute, { headers }: IncomingMessage, rest: string): WebSocket {
  const url = new URL(upstream.url);
  url.search = [rest.slice(2), url.search.slice(1)].filter((query) => query !== '').join('&');
  url.protocol = url.protocol.replace(/^http/, 'ws');
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  const own: Record<string, string> = { via: viaOf('1.1') };
  for (let at = 0; at < upstream.own.pairs.length; at += 2)
    own[upstream.own.pairs[at] ?? ''] = upstream.own.pairs[at + 1] ?? '';
  return new WebSocket(url, [...new Set(offered.filter((name) => PROTOCOL.test(name)))], {
    headers: own,
    lookup: upstream.lookup,
    handshakeTimeout: route.timeouts.connectMs,
    followRedirects: false,
    perMessageDeflate: false,
    // Handles one message or ping per turn of the event loop, so that other connections are served in between.
    allowSynchronousEvents: false,
    maxPayload: MAX_UPSTREAM_BYTES,
  });
}
