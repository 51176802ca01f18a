import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { isRefusal, refuse } from '../../core/index.ts';
import type { KeyDirectory, Logger } from '../../core/index.ts';
import type { Gate } from './gate.ts';
import { nextUpstream } from './live-route.ts';
import type { LiveRoute, LiveRoutes } from './live-route.ts';
import type { Meter } from './meter.ts';
import { graceHeaders, writeRawRefusal } from './reply.ts';
import type { Upstream } from './upstream.ts';
import type { Visit } from './visit.ts';
import { WebSocketBridge } from './websocket-bridge.ts';

/** What the WebSocket side works with. */
export interface WebSocketDeps {
  readonly gate: Gate;
  readonly meter: Meter;
  readonly logger: Logger;
  readonly routes: LiveRoutes;
  readonly directory: KeyDirectory;
}

/** How often open connections are checked for keys whose grace ended and routes that went. */
const CHECK_MS = 500;
/** Largest message of an upstream. */
const MAX_UPSTREAM_BYTES = 32 * 1024 * 1024;

/** The gateway's WebSocket side: upgrades, and the connections that came of them. */
export class WebSockets {
  readonly #deps: WebSocketDeps;
  readonly #bridges = new Set<WebSocketBridge>();
  readonly #timer = setInterval(() => this.#checkAll(), CHECK_MS).unref();
  readonly #unsubscribe: () => void;

  constructor(deps: WebSocketDeps) {
    this.#deps = deps;
    this.#unsubscribe = deps.directory.onChange(() => this.#checkAll());
  }

  /** Checks the request like any other, connects to an upstream, and only then changes the protocol. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer, visit: Visit): void {
    // Node hands the bare connection over: whatever happens to it must not be an unhandled error.
    socket.on('error', () => socket.destroy());
    const refusal = this.#deps.gate.check(visit) ?? checkHandshake(req);
    if (refusal !== null) {
      this.#measure(visit, refusal.status);
      writeRawRefusal(socket, visit, refusal, ['Sec-WebSocket-Version', '13']);
      return;
    }
    visit.use?.enter();
    socket.once('close', () => visit.use?.leave());
    this.#connect(visit.live as LiveRoute, [], visit, { req, socket, head });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unsubscribe();
    for (const bridge of this.#bridges) bridge.close(1001, 'The gateway is shutting down.');
  }

  #connect(live: LiveRoute, tried: readonly Upstream[], visit: Visit, client: Client): void {
    const upstream = nextUpstream(live, tried);
    if (upstream === null) {
      const refusal = refuse('upstream_unavailable', tried.length === 0 ? { status: 503, retryAfterSeconds: 1 } : {});
      this.#measure(visit, refusal.status);
      writeRawRefusal(client.socket, visit, refusal);
      return;
    }
    upstream.health.started(performance.now());
    const startedAt = performance.now();
    const connection = dial(upstream, live, client.req);
    const abandon = (): void => connection.terminate();
    client.socket.once('close', abandon);
    connection.once('open', () => {
      connection.off('error', onError).on('error', () => undefined);
      upstream.health.succeeded(performance.now() - startedAt);
      // What comes before the client's side is ready waits.
      connection.pause();
      this.#accept(connection, visit, client, abandon);
    });
    const onError = (): void => {
      client.socket.off('close', abandon);
      connection.on('error', () => undefined);
      if (client.socket.destroyed) upstream.health.abandoned();
      else upstream.health.failed(performance.now());
      // Nothing of the client's has been sent yet, so that any other may be asked.
      if (!client.socket.destroyed) this.#connect(live, [...tried, upstream], visit, client);
    };
    connection.once('error', onError);
  }

  #accept(connection: WebSocket, visit: Visit, { req, socket, head }: Client, abandon: () => void): void {
    const { live } = visit;
    if (live === null) return;
    const server = new WebSocketServer({
      noServer: true,
      maxPayload: live.route.maxBodyBytes,
      perMessageDeflate: false,
      clientTracking: false,
      handleProtocols: (offered) => (offered.has(connection.protocol) ? connection.protocol : false),
    });
    server.on('headers', (headers) => {
      const all = ['X-Trace-Id', visit.traceId, ...graceHeaders(visit.auth)];
      for (let at = 0; at < all.length; at += 2) headers.push(`${all[at] ?? ''}: ${all[at + 1] ?? ''}`);
    });
    if (socket.destroyed) abandon();
    server.handleUpgrade(req, socket, head, (client) => {
      socket.off('close', abandon);
      this.#measure(visit, 101);
      const bridge: WebSocketBridge = new WebSocketBridge(client, connection, visit, this.#deps, () => {
        this.#bridges.delete(bridge);
        this.#deps.meter.connections(live.route.host, -1);
      });
      this.#bridges.add(bridge);
      this.#deps.meter.connections(live.route.host, 1);
      // The key may have died while the upstream was being reached.
      this.#check(bridge);
    });
  }

  #checkAll(): void {
    for (const bridge of this.#bridges) this.#check(bridge);
  }

  #check(bridge: WebSocketBridge): void {
    const { visit } = bridge;
    const auth = this.#deps.gate.authenticate(visit.keyText);
    if (isRefusal(auth)) {
      // Keys that cannot be checked now are not refused for good: the client may come back.
      if (auth.status === 503) bridge.close(1013, auth.reason);
      else bridge.close(4401, auth.reason);
      return;
    }
    if (this.#deps.routes.find(visit.hostHeader)?.route.enabled !== true) bridge.close(1001, 'route_disabled');
    else bridge.beat();
  }

  #measure(visit: Visit, status: number): void {
    const { live, auth, admission, startedAt } = visit;
    const route = live?.route.host ?? 'unknown';
    if (auth !== null && admission !== null) this.#deps.meter.admission(route, auth.key.app.id, admission);
    const seconds = (performance.now() - startedAt) / 1000;
    this.#deps.meter.request({ route, app: auth?.key.app.id ?? 'none', status, seconds, bytesIn: 0, bytesOut: 0 });
  }
}

/** A client that asked for a change of protocol. */
interface Client {
  readonly req: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

function checkHandshake({ headers }: IncomingMessage): ReturnType<typeof refuse> | null {
  const good = headers.upgrade?.toLowerCase() === 'websocket' && headers['sec-websocket-version'] === '13' && KEY.test(headers['sec-websocket-key'] ?? '');
  return good ? null : refuse('bad_request', { message: 'The WebSocket handshake is malformed.' });
}

const KEY = /^[+/0-9A-Za-z]{22}==$/;
const PROTOCOL = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function dial(upstream: Upstream, { route }: LiveRoute, { headers }: IncomingMessage): WebSocket {
  const url = new URL(upstream.url);
  url.protocol = url.protocol.replace(/^http/, 'ws');
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  const own: Record<string, string> = {};
  for (let at = 0; at < upstream.own.pairs.length; at += 2) own[upstream.own.pairs[at] ?? ''] = upstream.own.pairs[at + 1] ?? '';
  return new WebSocket(url, [...new Set(offered.filter((name) => PROTOCOL.test(name)))], {
    headers: own,
    handshakeTimeout: route.timeouts.connectMs,
    followRedirects: false,
    perMessageDeflate: false,
    maxPayload: MAX_UPSTREAM_BYTES,
  });
}
