import type { Refusal } from '../../core/index.ts';
import type { HeaderList } from './header-list.ts';
import type { RequestContext } from './request-context.ts';
import type { BodyStreamHandler, RequestBodyStream } from './request-body-stream.ts';

/**
 * The events that a {@link GatewayClient} reports while its request is in progress. `HttpExchange` implements it. After
 * `setHandler(null)` nothing is reported any more, except the rest of a body that is being read.
 */
export interface ClientRequestHandler extends BodyStreamHandler {
  onRequestEnd(body: Buffer): void;
  /** The body exceeds `keepBytes`; the stream delivers all of it. */
  onRequestStream(stream: RequestBodyStream): void;
  /** The request did not arrive within the server's `requestTimeout`. */
  onRequestTimeout(): void;
  /** The client closed its connection before its response was complete. */
  onClientAborted(): void;
  /** The client accepts bytes again after `write` returned false. */
  onDrain(): void;
}

/** The events of a request whose body was read. */
export type ClientHandler = Pick<ClientRequestHandler, 'onRequestTimeout' | 'onClientAborted' | 'onDrain'>;

export interface BodyLimits {
  /** A body up to this size is reported as a whole. */
  readonly keepBytes: number;
  readonly maxBytes: number;
}

export interface ReplyHeaders {
  readonly common: HeaderList;
  /** Headers of this response only, names alternating with values; none is `Date`. */
  readonly own: string[];
}

/** The client of an exchange: `HttpServerClient` over Node's server, or the fast path's `ClientConnection`. */
export interface GatewayClient {
  /** The remote address of the connection. */
  readonly peer: string;
  /** True while the socket's buffer is full. */
  readonly needsDrain: boolean;
  /** True while a chunk that was written may still be referenced. */
  readonly retainsChunks: boolean;
  /** `null` stops reporting. */
  setHandler(handler: ClientRequestHandler | null): void;
  writeContinue(): void;
  /** Reads the body and reports it to the handler. */
  readBody(limits: BodyLimits): void;
  /**
   * Writes a complete response.
   *
   * @param idleMs - how long the client may read nothing before its connection is closed
   */
  respond(status: number, headers: ReplyHeaders, body: readonly Buffer[], size: number, idleMs: number): void;
  /**
   * Writes the head of a response whose body follows. False when the connection has ended.
   *
   * @param hasLength - false when the body needs chunked framing
   */
  writeHead(status: number, headers: ReplyHeaders, hasLength: boolean): boolean;
  /** Returns false when the caller should wait for `onDrain`. */
  write(chunk: Buffer): boolean;
  /**
   * Ends the response.
   *
   * @param idleMs - how long the client may read nothing before its connection is closed
   */
  end(idleMs: number): void;
  /** Answers with a refusal. The connection continues if little of the request is left to read; otherwise it closes. */
  refuse(refusal: Refusal, context: RequestContext): void;
  destroy(): void;
}
