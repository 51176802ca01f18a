import type { Server } from 'node:http';
import { Socket } from 'node:net';
import type { ClientSide } from './client-side.ts';
import type { Deadlines } from './deadlines.ts';
import { FrontConnection } from './front-connection.ts';
import type { FrontHost } from './front-connection.ts';
import type { PlainRequest } from './http1/plain-request.ts';

/** What a front needs of its gateway. */
export interface FrontDeps {
  serves(host: string): boolean;
  request(client: ClientSide, request: PlainRequest): void;
  readonly deadlines: Deadlines;
}

type Listener = (this: Server, socket: Socket) => void;

/**
 * Stands before Node's HTTP server: takes its connections, and gives it those that are not the gateway's, or not plain.
 * (The server's own listener of `connection` is the one that it adds as it is made; Node documents that a connection
 * may be handed to a server by that event.)
 */
export class Front implements FrontHost {
  readonly #server: Server;
  readonly #deps: FrontDeps;
  readonly #own: Listener;
  readonly #connections = new Set<FrontConnection>();
  readonly #closeIdle: () => void;
  readonly #closeAll: () => void;

  constructor(server: Server, deps: FrontDeps) {
    const [own] = server.listeners('connection');
    if (own === undefined) throw new Error('The server has no listener of its own for connections.');
    this.#server = server;
    this.#deps = deps;
    this.#own = own as Listener;
    server.off('connection', this.#own).prependListener('connection', this.#take);
    // The server's own words for closing connections hold for those that it does not know of, too.
    this.#closeIdle = server.closeIdleConnections.bind(server);
    this.#closeAll = server.closeAllConnections.bind(server);
    server.closeIdleConnections = () => {
      this.#closeIdle();
      for (const connection of [...this.#connections]) if (connection.idle) connection.retire();
    };
    server.closeAllConnections = () => {
      this.#closeAll();
      for (const connection of [...this.#connections]) connection.destroy();
    };
  }

  get timeouts(): FrontHost['timeouts'] {
    return this.#server;
  }

  serves(host: string): boolean {
    return this.#deps.serves(host);
  }

  request(client: ClientSide, request: PlainRequest): void {
    this.#deps.request(client, request);
  }

  watch(connection: FrontConnection): void {
    this.#deps.deadlines.add(connection);
  }

  closed(connection: FrontConnection): void {
    this.#connections.delete(connection);
    this.#deps.deadlines.delete(connection);
  }

  handOver(connection: FrontConnection, socket: Socket, bytes: Buffer): void {
    this.closed(connection);
    // Paused first: what is put back into a flowing stream would wait for the next bytes to come.
    socket.pause();
    socket.unshift(bytes);
    this.#own.call(this.#server, socket);
    socket.resume();
  }

  /** Gives the server its connections back, but for those whose request is under way: these close after it. */
  close(): void {
    this.#server.off('connection', this.#take).prependListener('connection', this.#own);
    this.#server.closeIdleConnections = this.#closeIdle;
    this.#server.closeAllConnections = this.#closeAll;
    for (const connection of [...this.#connections]) connection.retire();
  }

  readonly #take = (socket: Socket): void => {
    // An embedder may inject any stream.
    if (!(socket instanceof Socket)) {
      this.#own.call(this.#server, socket);
      return;
    }
    const connection = new FrontConnection(this, socket);
    this.#connections.add(connection);
    this.watch(connection);
  };
}
