import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { viaOf } from '../../core/index.ts';
import { FrameBudget } from './frame-budget.ts';
import { guarded } from './guard-methods.ts';
import { ANYTHING, nextUpstream } from './live-route.ts';
import type { LiveRoute } from './live-route.ts';
import type { Upstream } from './upstream.ts';

/** Largest message of an upstream, in bytes. */
const MAX_UPSTREAM_BYTES = 32 * 1024 * 1024;
const PROTOCOL = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** What is asked of an upstream when a WebSocket to it is opened. */
export interface WantedWebSocket {
  /** The path and query behind the upstream's own. */
  readonly rest: string;
  readonly protocols: readonly string[];
}

/** What is asked for a connection of the gateway's own. */
export const PLAIN_WEBSOCKET: WantedWebSocket = { rest: '/', protocols: [] };

/** The subprotocols that a client offers in its handshake. */
export function offeredProtocols({ headers }: IncomingMessage): readonly string[] {
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  return [...new Set(offered.filter((name) => PROTOCOL.test(name)))];
}

/** An open WebSocket to an upstream. It is paused: messages stay in the socket until it is resumed. */
export interface OpenedWebSocket {
  readonly upstream: Upstream;
  readonly connection: WebSocket;
  readonly transport: Duplex | null;
}

export interface OpeningHandler {
  onOpen(opened: OpenedWebSocket): void;
  /** No upstream of the route could be reached. @param tried - those that failed just now */
  onUnavailable(tried: readonly Upstream[]): void;
  /** An internal error. */
  onError(error: unknown): void;
}

/** Opens a WebSocket to one upstream of a route after the other, until one accepts it. */
export class WebSocketOpening {
  readonly #live: LiveRoute;
  readonly #wanted: WantedWebSocket;
  readonly #handler: OpeningHandler;
  #connection: WebSocket | null = null;
  #abandoned = false;

  constructor(live: LiveRoute, wanted: WantedWebSocket, handler: OpeningHandler) {
    this.#live = live;
    this.#wanted = wanted;
    this.#handler = handler;
  }

  /** Ends the attempt, or the open connection, and no handler is called any more. */
  abandon(): void {
    this.#abandoned = true;
    this.#connection?.terminate();
  }

  /** @param tried - upstreams that are not asked */
  start(tried: readonly Upstream[]): void {
    const upstream = nextUpstream(this.#live, tried, ANYTHING, null);
    if (upstream === null) {
      this.#handler.onUnavailable(tried);
      return;
    }
    const startedAt = performance.now();
    upstream.health.started(startedAt);
    const connection = dial(upstream, this.#live, this.#wanted);
    this.#connection = connection;
    let transport: Duplex | null = null;
    connection.once('upgrade', (response) => (transport = response.socket));
    const failing = {
      abort: (error: unknown): void => {
        connection.on('error', () => undefined).terminate();
        this.#handler.onError(error);
      },
    };
    let refused = false;
    // An answer other than 101 may be caused by the request, and it shows that the upstream is up.
    connection.once('unexpected-response', () => {
      refused = true;
      connection.terminate();
    });
    const onError = guarded(failing, () => {
      connection.on('error', () => undefined);
      if (this.#abandoned || refused) upstream.health.abandoned();
      else upstream.health.failed(performance.now());
      // Nothing was sent yet, so another upstream may be tried.
      if (!this.#abandoned) this.start([...tried, upstream]);
    });
    connection.once('error', onError);
    const onOpen = (): void => {
      connection.off('error', onError).on('error', () => undefined);
      const now = performance.now();
      upstream.health.succeeded(now - startedAt, now);
      connection.pause();
      if (!this.#abandoned) this.#handler.onOpen({ upstream, connection, transport });
    };
    connection.once('open', guarded(failing, onOpen));
  }
}

/** Calls `stop` when one side of a WebSocket sends too many frames without messages. */
export function onFlood(socket: Duplex, stop: () => void): void {
  const budget = new FrameBudget();
  socket.prependListener('data', (chunk: Buffer) => {
    if (!budget.take(chunk, performance.now())) stop();
  });
}

function dial(upstream: Upstream, { route }: LiveRoute, { rest, protocols }: WantedWebSocket): WebSocket {
  const url = new URL(upstream.url);
  url.search = [rest.slice(2), url.search.slice(1)].filter((query) => query !== '').join('&');
  url.protocol = url.protocol.replace(/^http/, 'ws');
  const own: Record<string, string> = { via: viaOf('1.1') };
  for (let at = 0; at < upstream.own.pairs.length; at += 2)
    own[upstream.own.pairs[at] ?? ''] = upstream.own.pairs[at + 1] ?? '';
  return new WebSocket(url, [...protocols], {
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
