import type { Server } from 'node:http';
import type { TimeoutQueue } from '../timeout-queue.ts';
import type { OpenRawTransport, RawTransport } from '../upstream-request.ts';
import { ConnectionListener } from './connection-listener.ts';
import type { RequestListener } from './connection-listener.ts';
import { RawUpstreamRequest } from './raw-upstream-request.ts';
import { UpstreamConnectionPool } from './upstream-connection-pool.ts';
import type { NewSentRequest } from './upstream-connection-pool.ts';

/** For tests: see `overwrites`. */
export { readBuffers } from './read-buffers.ts';
/** For tests: how many calls go this way. */
export { PlainCall } from './plain-call.ts';

/**
 * The gateway's own HTTP/1 implementation. README.md says which requests it handles. This file is the folder's entry
 * point: no other file of the folder is imported from outside.
 */
export interface FastPath {
  /** Sends requests with a complete body to upstreams without TLS. */
  readonly openTransport: OpenRawTransport;
  /**
   * Reads the connections of a plain-text server before Node does, and passes plain requests to the listener. All other
   * connections go to Node with every byte they received.
   */
  attach(server: Server, listener: RequestListener): void;
  /** Lets Node's server read new connections itself again; open ones close after their current request. */
  close(): void;
}

/** @param onError - receives the internal error that closed a connection */
export function createFastPath(timeoutQueue: TimeoutQueue, onError: (error: unknown) => void): FastPath {
  const listeners: ConnectionListener[] = [];
  return {
    openTransport: (url, connectMs, lookup) =>
      rawTransport(new UpstreamConnectionPool({ url, connectMs, lookup }, timeoutQueue, onError, newSent)),
    attach: (server, listener) => void listeners.push(new ConnectionListener(server, listener, timeoutQueue, onError)),
    close: () => {
      for (const listener of listeners.splice(0)) listener.close();
    },
  };
}

const newSent: NewSentRequest = (pool, connection, health, handler, startedAt) =>
  new RawUpstreamRequest(pool, health, handler, { connection, startedAt });

function rawTransport(pool: UpstreamConnectionPool): RawTransport {
  return {
    get size() {
      return pool.size;
    },
    hostHeader: pool.hostHeader,
    takeIdle: (now) => pool.takeIdle(now),
    newRequest: (health, handler) => new RawUpstreamRequest(pool, health, handler),
    closeWhenIdle: () => pool.closeWhenIdle(),
    close: () => pool.close(),
  };
}
