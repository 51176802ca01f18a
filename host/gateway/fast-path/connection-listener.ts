import type { Server } from 'node:http';
import { Socket } from 'node:net';
import type { GatewayClient } from '../gateway-client.ts';
import type { TimeoutQueue } from '../timeout-queue.ts';
import { ClientConnection } from './client-connection.ts';
import type { ClientConnectionDelegate } from './client-connection.ts';
import type { PlainRequest } from './http1/plain-request.ts';
import type { PlainCallDeps } from './plain-call.ts';

/** Answers the requests; the gateway implements it. */
export interface RequestListener {
  /** True for a `Host` header of one of the gateway's routes. */
  serves(host: string): boolean;
  onRequest(client: GatewayClient, request: PlainRequest): void;
  /** For the calls that are answered without {@link onRequest}; `null` for none. */
  readonly plainCalls: PlainCallDeps | null;
}

type NodeListener = (this: Server, socket: Socket) => void;

/**
 * Takes the connections of a Node HTTP server, and passes back those that are not for the gateway or whose request is
 * not plain. It replaces the server's first listener of `connection`, Node's own, and calls that listener for such a
 * connection: Node documents that any stream may be passed to a server by this event.
 */
export class ConnectionListener implements ClientConnectionDelegate {
  readonly onError: (error: unknown) => void;
  readonly #server: Server;
  readonly #listener: RequestListener;
  readonly #timeoutQueue: TimeoutQueue;
  readonly #nodeListener: NodeListener;
  readonly #connections = new Set<ClientConnection>();
  readonly #closeIdle: () => void;
  readonly #closeAll: () => void;

  constructor(
    server: Server,
    listener: RequestListener,
    timeoutQueue: TimeoutQueue,
    onError: (error: unknown) => void,
  ) {
    this.onError = onError;
    const [nodeListener] = server.listeners('connection');
    if (nodeListener === undefined) throw new Error('The server has no listener of its own for connections.');
    this.#server = server;
    this.#listener = listener;
    this.#timeoutQueue = timeoutQueue;
    this.#nodeListener = nodeListener as NodeListener;
    server.off('connection', this.#nodeListener).prependListener('connection', this.#onConnection);
    // The server does not track these connections, so its methods that close connections must include them.
    this.#closeIdle = server.closeIdleConnections.bind(server);
    this.#closeAll = server.closeAllConnections.bind(server);
    server.closeIdleConnections = () => {
      this.#closeIdle();
      for (const connection of [...this.#connections]) if (connection.idle) connection.closeWhenIdle();
    };
    server.closeAllConnections = () => {
      this.#closeAll();
      for (const connection of [...this.#connections]) connection.destroy();
    };
  }

  get timeouts(): ClientConnectionDelegate['timeouts'] {
    return this.#server;
  }

  get plainCalls(): PlainCallDeps | null {
    return this.#listener.plainCalls;
  }

  serves(host: string): boolean {
    return this.#listener.serves(host);
  }

  onRequest(connection: ClientConnection, request: PlainRequest): void {
    this.#listener.onRequest(connection, request);
  }

  expiryIn(ms: number): number {
    return this.#timeoutQueue.expiryIn(ms);
  }

  startTimeout(connection: ClientConnection): void {
    this.#timeoutQueue.add(connection);
  }

  onClose(connection: ClientConnection): void {
    this.#connections.delete(connection);
    this.#timeoutQueue.delete(connection);
  }

  delegateToNode(connection: ClientConnection, socket: Socket, bytes: Buffer): void {
    this.onClose(connection);
    // Paused first: bytes pushed back into a flowing stream would wait until the next ones arrive.
    socket.pause();
    socket.unshift(bytes);
    this.#nodeListener.call(this.#server, socket);
    socket.resume();
  }

  /** Restores the server. Connections with a request in progress close after it, the others now. */
  close(): void {
    this.#server.off('connection', this.#onConnection).prependListener('connection', this.#nodeListener);
    this.#server.closeIdleConnections = this.#closeIdle;
    this.#server.closeAllConnections = this.#closeAll;
    for (const connection of [...this.#connections]) connection.closeWhenIdle();
  }

  readonly #onConnection = (socket: Socket): void => {
    // An application may emit 'connection' with any stream.
    if (!(socket instanceof Socket)) {
      this.#nodeListener.call(this.#server, socket);
      return;
    }
    const connection = new ClientConnection(this, socket);
    this.#connections.add(connection);
    this.startTimeout(connection);
  };
}
