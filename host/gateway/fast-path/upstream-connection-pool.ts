import type { LookupFunction } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { UpstreamHealth } from '../../../core/index.ts';
import { DESTROYED } from '../failure-reasons.ts';
import type { TimeoutQueue } from '../timeout-queue.ts';
import { MAX_CONNECTIONS } from '../upstream-request.ts';
import type { UpstreamResponseHandler } from '../upstream-request.ts';
import { ResponseHeadCache } from './response-head-cache.ts';
import { UpstreamConnection } from './upstream-connection.ts';
import type { RawResponseHandler, SentRequest, UpstreamConnectionDelegate } from './upstream-connection.ts';

/** Where the connections of a pool go. */
export interface UpstreamPlace {
  readonly url: URL;
  readonly connectMs: number;
  /** Resolves the name each time that a connection is made. */
  readonly lookup: LookupFunction;
}

/** Makes the request of a call that was sent already, over this connection. */
export type NewSentRequest = (
  pool: UpstreamConnectionPool,
  connection: UpstreamConnection,
  health: UpstreamHealth,
  handler: UpstreamResponseHandler,
  startedAt: number,
) => SentRequest;

/** The plain-text connections to one upstream. The most recently used connection is used first. */
export class UpstreamConnectionPool implements UpstreamConnectionDelegate {
  readonly host: string;
  readonly port: number;
  readonly connectMs: number;
  readonly lookup: LookupFunction;
  readonly headCache = new ResponseHeadCache();
  /** The `host` header of its requests. */
  readonly hostHeader: string;
  readonly onError: (error: unknown) => void;
  readonly #timeoutQueue: TimeoutQueue;
  readonly #all = new Set<UpstreamConnection>();
  readonly #idle: UpstreamConnection[] = [];
  /** Requests without a connection, the oldest first. */
  readonly #waiting = new Set<RawResponseHandler>();
  readonly #newSent: NewSentRequest;
  #connecting = 0;
  #closing = false;
  #closed = false;

  constructor(
    { url, connectMs, lookup }: UpstreamPlace,
    timeoutQueue: TimeoutQueue,
    onError: (error: unknown) => void,
    newSent: NewSentRequest,
  ) {
    this.#newSent = newSent;
    this.onError = onError;
    this.host = url.hostname.replace(/^\[|\]$/g, '');
    this.port = url.port === '' ? 80 : Number(url.port);
    this.hostHeader = url.host;
    this.connectMs = connectMs;
    this.lookup = lookup;
    this.#timeoutQueue = timeoutQueue;
  }

  expiryIn(ms: number): number {
    return this.#timeoutQueue.expiryIn(ms);
  }

  get size(): number {
    return this.#all.size;
  }

  /** True while the maximum number of connections is in use. */
  get full(): boolean {
    return this.#connecting === 0 && this.#all.size >= MAX_CONNECTIONS;
  }

  /** Assigns a connection to the request, now or as soon as one is free. */
  assign(request: RawResponseHandler): void {
    const connection = this.takeIdle(performance.now());
    if (connection !== null) {
      connection.send(request);
      return;
    }
    this.#waiting.add(request);
    this.#connect();
  }

  /** An idle connection that can take a request; `null` for none. */
  takeIdle(now: number): UpstreamConnection | null {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.isUsable(now)) return connection;
      connection.destroy();
    }
    return null;
  }

  cancel(request: RawResponseHandler): void {
    this.#waiting.delete(request);
  }

  sent(
    connection: UpstreamConnection,
    health: UpstreamHealth,
    handler: UpstreamResponseHandler,
    startedAt: number,
  ): SentRequest {
    return this.#newSent(this, connection, health, handler, startedAt);
  }

  onConnect(): void {
    this.#connecting -= 1;
  }

  onIdle(connection: UpstreamConnection): void {
    const [request] = this.#waiting;
    if (request !== undefined) {
      this.#waiting.delete(request);
      connection.send(request);
    } else if (this.#closing) connection.destroy();
    else this.#idle.push(connection);
  }

  onClose(connection: UpstreamConnection, failure: { readonly reason: string } | null): void {
    this.#all.delete(connection);
    this.#timeoutQueue.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    if (failure !== null) {
      this.#connecting -= 1;
      const [request] = this.#waiting;
      if (request !== undefined) {
        this.#waiting.delete(request);
        request.onConnectError(failure.reason);
      }
    }
    this.#connect();
  }

  closeWhenIdle(): void {
    this.#closing = true;
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  close(): void {
    this.#closing = true;
    this.#closed = true;
    for (const connection of [...this.#all]) connection.close();
    for (const request of [...this.#waiting]) {
      this.#waiting.delete(request);
      request.onConnectError(DESTROYED);
    }
  }

  /** Opens one connection for each waiting request, up to the limit. */
  #connect(): void {
    while (!this.#closed && this.#connecting < this.#waiting.size && this.#all.size < MAX_CONNECTIONS) {
      const connection = new UpstreamConnection(this);
      this.#connecting += 1;
      this.#all.add(connection);
      this.#timeoutQueue.add(connection);
    }
  }
}
