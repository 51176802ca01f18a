import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express, NextFunction, Request, Response } from 'express';
import { TillgateError } from '../../../core/index.ts';
import type { HttpApi } from '../pipeline.ts';
import type { HttpResponse } from '../messages.ts';
import { answerRaw, answerUnreadable, currentResponse } from './client-error.ts';
import type { ClientError } from './client-error.ts';
import { ignoreUpgrade, wantsWebSocket } from './ignore-upgrade.ts';
import { fromNode } from './node-request.ts';
import { writeResponse } from './write-response.ts';

/** How long the server waits for a client, in milliseconds. */
export interface ServerTimeouts {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
}

export const DEFAULT_TIMEOUTS: ServerTimeouts = { headersMs: 10_000, requestMs: 30_000, keepAliveMs: 65_000 };

/** Serves its own hosts before the application does: the node gateway. */
export interface ConnectionInterceptor {
  handles(host: string | undefined): boolean;
  request(req: IncomingMessage, res: ServerResponse): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Reads the server's connections first, and passes on those that are not for its hosts. */
  attach?(server: Server): void;
  /** Answers a request that Node's parser rejected; returns false when it is not known to be for its hosts. */
  clientError?(error: ClientError, socket: Duplex): boolean;
}

/** Options of {@link createHttpServer}. */
export interface ServerOptions {
  readonly timeouts?: ServerTimeouts;
  readonly interceptor?: ConnectionInterceptor;
  /** Sends Strict-Transport-Security (RFC 6797) for every host except those of the interceptor. */
  readonly strictTransport?: boolean;
}

const STRICT_TRANSPORT = 'max-age=31536000; includeSubDomains';

const MAX_HEADER_BYTES = 16 * 1024;
const NO_WEBSOCKET = 'There is no WebSocket at this address.';

/**
 * Creates an `http.Server` for an Express application that contains {@link expressBinding}: it limits waiting times,
 * and answers with an envelope what no handler answered and what Node itself rejects.
 */
export function createHttpServer(
  app: Express,
  api: HttpApi,
  { timeouts = DEFAULT_TIMEOUTS, interceptor, strictTransport = false }: ServerOptions = {},
): Server {
  app.disable('x-powered-by');
  app.disable('etag');
  const server = createServer({
    ...prototypesOf(app),
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: Math.max(50, Math.min(1000, timeouts.headersMs / 4)),
    // A request without Host is answered below, with an envelope.
    requireHostHeader: false,
  });
  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    if (req.headers.host === undefined && req.httpVersion === '1.1') {
      writeResponse(req, res, api.failure(new TillgateError('MALFORMED_REQUEST', 'The header Host is missing.')));
      return;
    }
    if (interceptor?.handles(req.headers.host) === true) {
      interceptor.request(req, res);
      return;
    }
    if (repeatsHost(req.rawHeaders)) {
      writeResponse(req, res, api.failure(new TillgateError('MALFORMED_REQUEST', 'The header Host is repeated.')));
      return;
    }
    if (strictTransport) res.setHeader('Strict-Transport-Security', STRICT_TRANSPORT);
    app(req as Request, res as Response, unanswered(api, req, res));
  };
  server.on('request', serve);
  // By default Node silently drops fields beyond 1,000, which may be those that frame the body. `maxHeaderSize` still
  // limits the head.
  server.maxHeadersCount = 0;
  // The operation sends "100 Continue" itself, before it reads the body.
  server.on('checkContinue', serve);
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
    writeResponse(
      req,
      res,
      api.failure(new TillgateError('MALFORMED_REQUEST', 'The header Expect may only be 100-continue.')),
    );
  });
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (interceptor?.handles(req.headers.host) === true) interceptor.upgrade(req, socket, head);
    else if (wantsWebSocket(req)) refuse(socket, api.failure(new TillgateError('MALFORMED_REQUEST', NO_WEBSOCKET)));
    else ignoreUpgrade(req, socket, head);
  });
  server.on('connect', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    if (interceptor?.handles(req.headers.host) === true) interceptor.upgrade(req, socket, head);
    else
      refuse(
        socket,
        notAllowed(api.failure(new TillgateError('METHOD_NOT_ALLOWED', 'The method CONNECT is not supported.'))),
      );
  });
  server.on('clientError', (error: ClientError, socket: Socket) => {
    if (interceptor?.clientError?.(error, socket) !== true) answerUnreadable(error, socket, api);
  });
  interceptor?.attach?.(server);
  return server;
}

/**
 * Answers a request whose socket Node has handed over. When a response is already under way, it only closes the socket.
 */
function refuse(socket: Duplex, response: HttpResponse): void {
  // Node has removed its own listener, and an 'error' event without a listener would end the process.
  socket.on('error', () => socket.destroy());
  if (currentResponse(socket) === null) answerRaw(socket, response);
  else socket.destroy();
}

/** A 405 lists the allowed methods (RFC 9110, section 15.5.6); here there are none. */
const notAllowed = (response: HttpResponse): HttpResponse => ({
  ...response,
  headers: { ...response.headers, Allow: '' },
});

/**
 * Whether there is more than one `Host` field, even of equal value: two readers could choose different ones (RFC 9112,
 * section 3.2).
 */
function repeatsHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/** The final handler: 404, or the error of an earlier handler. */
function unanswered(api: HttpApi, req: IncomingMessage, res: ServerResponse): NextFunction {
  return (error?: unknown): void => {
    if (res.headersSent) {
      res.destroy();
      return;
    }
    if (error !== undefined && error !== null) {
      writeResponse(req, res, api.failure(error));
      return;
    }
    const target = (req as Request).originalUrl ?? req.url ?? '';
    api.handle(fromNode(req, res, target, '')).then(
      (response) => writeResponse(req, res, response),
      () => res.destroy(),
    );
  };
}

/** Node's constructor, typed as the plain function that it can be called as. */
type Initialiser = (this: object, ...parameters: unknown[]) => void;

/**
 * Express changes the prototype of each request and response, which costs more than the rest of its work. Objects
 * created with those prototypes make the change a no-op. (`Reflect.construct` with another prototype would cost as
 * much.)
 */
function prototypesOf(app: Express): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
} {
  return {
    IncomingMessage: bornWith(
      app.request,
      IncomingMessage as unknown as Initialiser,
    ) as unknown as typeof IncomingMessage,
    ServerResponse: bornWith(
      app.response,
      ServerResponse as unknown as Initialiser,
    ) as unknown as typeof ServerResponse,
  };
}

function bornWith(prototype: object, initialise: Initialiser): Initialiser {
  function Born(this: object, ...parameters: unknown[]): void {
    initialise.apply(this, parameters);
  }
  Born.prototype = prototype;
  return Born;
}
