import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { DEFAULT_TIMEOUTS } from '../../../core/index.ts';
import type { Refusal } from '../../../core/index.ts';
import type { BodyLimits, ClientHandler, ClientRequestHandler, ReplyHeaders } from '../gateway-client.ts';
import { guardMethods } from '../guard-methods.ts';
import { HeaderList, headerLines } from '../header-list.ts';
import { refusalResponseFor } from '../refusal-response.ts';
import type { RequestContext } from '../request-context.ts';
import type { Expirable } from '../timeout-queue.ts';
import { attachHandler, detachHandler } from './client-socket.ts';
import type { ClientSocketHandler } from './client-socket.ts';
import type { HeadPattern } from './http1/head-pattern.ts';
import type { PlainRequest } from './http1/plain-request.ts';
import { PlainCall } from './plain-call.ts';
import type { PlainCallClient, PlainCallDeps } from './plain-call.ts';
import { PlainRequestReader } from './plain-request-reader.ts';
import { responseHeadText } from './http1/response-text.ts';
import { SocketWriter } from './socket-writer.ts';
import { turnWrites } from './turn-writes.ts';
import type { Unsent } from './turn-writes.ts';

/** The callbacks and settings that a {@link ClientConnection} gets from the listener that accepted it. */
export interface ClientConnectionDelegate {
  /** The server's own timeouts, in milliseconds; 0 for none. */
  readonly timeouts: {
    readonly headersTimeout: number;
    readonly requestTimeout: number;
    readonly keepAliveTimeout: number;
  };
  /** `null` to answer every request by {@link onRequest}. */
  readonly plainCalls: PlainCallDeps | null;
  /** True for a `Host` header of one of the gateway's routes. */
  serves(host: string): boolean;
  /** A plain request for the gateway arrived; its body may still be on the way. */
  onRequest(connection: ClientConnection, request: PlainRequest): void;
  /** Passes the connection to Node's HTTP server, which reads these bytes first. */
  delegateToNode(connection: ClientConnection, socket: Socket, bytes: Buffer): void;
  onClose(connection: ClientConnection): void;
  /** The connection was closed because of an internal error of the gateway. */
  onError(error: unknown): void;
  /** As `expiryIn` of the timeout queue. */
  expiryIn(ms: number): number;
  /** Queues the connection's timeout again. */
  startTimeout(connection: ClientConnection): void;
}

/** Pipelined bytes are read up to this size while a response is under way. */
const MAX_AHEAD = 64 * 1024;
/** Unsent bytes up to this size do not pause the upstream. */
const MAX_WAITING = 128 * 1024;
/** Bodies up to this size are copied behind their head, which is cheaper than a second write. */
const ONE_PIECE = 64 * 1024;
/** Unsent bytes up to this size need no idle timeout: the kernel's buffer takes them. */
const UNWATCHED = 32 * 1024;
/** The longest that the rest of a refused request is read before the connection is closed. */
const DRAIN_MS = 2_000;

type State = 'waiting' | 'busy' | 'draining' | 'over';

/**
 * A client's connection, which handles one plain request after another. At the first request that is not plain, or not
 * for the gateway, the connection passes to Node's HTTP server and stays there.
 */
export class ClientConnection implements PlainCallClient, ClientSocketHandler, Expirable, Unsent {
  expiresAt: number;
  queuePlace = -1;
  readonly #delegate: ClientConnectionDelegate;
  readonly #socket: Socket;
  readonly #writer: SocketWriter;
  #state: State = 'waiting';
  /** Bytes that were received but not parsed yet. */
  #pending: Buffer | null = null;
  #advancing = false;
  #handler: ClientHandler | null = null;
  #plain: PlainCall | null = null;
  /** True when the connection closes after the current response. */
  #last = false;
  #chunked = false;
  /** A complete response, written at the end of this turn of the event loop. */
  #unsent: Buffer | string | null = null;
  /** Bytes of the current request's body that have not arrived yet. */
  #bodyLeft = 0;
  #body: Buffer[] = [];
  /** Set while the body is being read. */
  #bodyHandler: ClientRequestHandler | null = null;
  readonly #reader = new PlainRequestReader();

  constructor(delegate: ClientConnectionDelegate, socket: Socket) {
    this.#delegate = delegate;
    this.#socket = socket;
    this.#writer = new SocketWriter(socket);
    this.expiresAt = this.#after(delegate.timeouts.headersTimeout);
    attachHandler(socket, this);
  }

  // ---- called by the socket

  onData(chunk: Buffer): void {
    if (this.#state === 'over') return;
    if (this.#state === 'draining') {
      this.#skip(chunk);
    } else if (this.#bodyHandler !== null) {
      this.#readOn(chunk);
    } else {
      this.#pending = this.#pending === null ? chunk : Buffer.concat([this.#pending, chunk]);
      if (this.#state === 'waiting') this.#advance();
      if (this.#pending !== null && this.#pending.length > MAX_AHEAD) this.#socket.pause();
    }
    // The chunk's memory is reused for the next read of any connection.
    if (this.#pending?.buffer === chunk.buffer) this.#pending = Buffer.from(this.#pending);
  }

  /** The client closed its side: its request is aborted. */
  onEnd(): void {
    if (this.#state === 'busy') this.destroy();
    else this.#close();
  }

  onClose(): void {
    this.#state = 'over';
    this.#pending = null;
    this.#body = [];
    this.#bodyHandler = null;
    this.#delegate.onClose(this);
    this.#handler?.onClientAborted();
  }

  onDrain(): void {
    this.#handler?.onDrain();
    if (this.#state !== 'waiting') return;
    this.#socket.resume();
    this.#advance();
  }

  onTimeout(): void {
    if (this.#state !== 'busy') {
      this.destroy();
      return;
    }
    this.expiresAt = Infinity;
    this.#delegate.startTimeout(this);
    this.#handler?.onRequestTimeout();
  }

  /** Closes the connection after the current request, or now if there is none. */
  closeWhenIdle(): void {
    this.#last = true;
    if (this.#state === 'waiting') this.#close();
  }

  get idle(): boolean {
    return this.#state === 'waiting';
  }

  abort(error: unknown): void {
    this.#delegate.onError(error);
    this.destroy();
  }

  // ---- requests

  #advance(): void {
    if (this.#advancing) return;
    this.#advancing = true;
    // Stops reading requests of a client that does not read its responses.
    while (this.#pending !== null && this.#state === 'waiting' && !this.needsDrain) this.#read(this.#pending);
    this.#advancing = false;
  }

  #read(bytes: Buffer): void {
    const pattern = this.#reader.match(bytes);
    if (pattern !== null && this.#begin(pattern, bytes)) return;
    const request = pattern?.matched() ?? this.#reader.parse(bytes);
    if (request === null || !this.#delegate.serves(request.hostHeader)) {
      this.#delegateToNode(bytes);
      return;
    }
    this.#state = 'busy';
    this.#last ||= request.close;
    this.#bodyLeft = request.head.contentLength ?? 0;
    this.#pending = bytes.length > request.length ? bytes.subarray(request.length) : null;
    this.expiresAt = this.#bodyLeft > 0 ? this.#after(this.#delegate.timeouts.requestTimeout) : Infinity;
    this.#delegate.onRequest(this, request);
  }

  /** Begins a call that is answered without an exchange. Returns false, and has read nothing, for any other request. */
  #begin(pattern: HeadPattern, bytes: Buffer): boolean {
    const { text } = this.#reader;
    const { plainCalls } = this.#delegate;
    const end = pattern.length + (pattern.contentLength ?? 0);
    if (plainCalls === null || end === pattern.length || end > text.length) return false;
    this.#plain ??= new PlainCall(plainCalls, this);
    if (!this.#plain.begin(text, end, pattern)) return false;
    this.#state = 'busy';
    this.#last ||= pattern.close;
    this.#bodyLeft = 0;
    this.#pending = bytes.length > end ? bytes.subarray(end) : null;
    this.expiresAt = Infinity;
    return true;
  }

  #delegateToNode(bytes: Buffer): void {
    const socket = this.#socket;
    this.#state = 'over';
    this.#pending = null;
    this.writeUnsent();
    detachHandler(socket);
    socket.setTimeout(0);
    this.#delegate.delegateToNode(this, socket, Buffer.from(bytes));
  }

  // ---- called by the exchange

  get peer(): string {
    return this.#socket.remoteAddress ?? '';
  }

  get needsDrain(): boolean {
    return this.#socket.writableLength >= MAX_WAITING;
  }

  get retainsChunks(): boolean {
    return this.#socket.writableLength > 0;
  }

  setHandler(handler: ClientRequestHandler | null): void {
    this.#handler = handler;
  }

  setPlainHandler(handler: ClientHandler | null): void {
    this.#handler = handler;
  }

  writeContinue(): void {
    this.writeUnsent();
    this.#socket.write('HTTP/1.1 100 Continue\r\n\r\n');
  }

  /** A plain request's body is small: it is always kept as a whole. */
  readBody(_limits: BodyLimits): void {
    this.#bodyHandler = this.#handler as ClientRequestHandler | null;
    const bytes = this.#pending;
    this.#pending = null;
    if (bytes !== null) this.#readOn(bytes);
  }

  #readOn(chunk: Buffer): void {
    const handler = this.#bodyHandler as ClientRequestHandler;
    const size = Math.min(this.#bodyLeft, chunk.length);
    const piece = size === chunk.length ? chunk : chunk.subarray(0, size);
    if (size < chunk.length) this.#pending = chunk.subarray(size);
    this.#body.push(Buffer.from(piece));
    this.#bodyLeft -= size;
    if (!handler.onRequestData(size) || this.#bodyLeft > 0) return;
    const [first] = this.#body;
    const body = this.#body.length === 1 && first !== undefined ? first : Buffer.concat(this.#body);
    this.#bodyHandler = null;
    this.#body = [];
    this.expiresAt = Infinity;
    handler.onRequestEnd(body);
  }

  respond(status: number, headers: ReplyHeaders, body: readonly Buffer[], size: number, idleMs: number): void {
    const head = this.#headText(status, headers, false);
    this.writeUnsent();
    if (size > ONE_PIECE) {
      this.#socket.cork();
      this.#socket.write(head, 'latin1');
      for (const piece of body) this.#socket.write(piece);
      this.#socket.uncork();
    } else {
      this.#unsent = joined(head, body, size);
      turnWrites.add(this);
    }
    this.#done(idleMs);
  }

  respondPlain(common: HeaderList, own: string, body: string, idleMs: number): void {
    this.writeUnsent();
    this.#unsent = this.#headLines(200, common, own, false) + body;
    turnWrites.add(this);
    this.#done(idleMs);
  }

  /** Later writes must come after these bytes. */
  writeUnsent(): void {
    const bytes = this.#unsent;
    if (bytes === null) return;
    this.#unsent = null;
    this.#writer.write(bytes);
  }

  writeHead(status: number, headers: ReplyHeaders, hasLength: boolean): boolean {
    this.#chunked = !hasLength;
    this.writeUnsent();
    // Corked until the end of this turn: the head and the body's first bytes leave in one write.
    this.#socket.cork();
    process.nextTick(uncork, this.#socket);
    this.#socket.write(this.#headText(status, headers, this.#chunked), 'latin1');
    return true;
  }

  write(chunk: Buffer): boolean {
    const socket = this.#socket;
    if (this.#chunked) {
      socket.cork();
      socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
      socket.write(chunk);
      socket.write('\r\n', 'latin1');
      socket.uncork();
    } else {
      socket.write(chunk);
    }
    return socket.writableLength < MAX_WAITING;
  }

  end(idleMs: number): void {
    if (this.#chunked) this.#socket.write('0\r\n\r\n', 'latin1');
    this.#done(idleMs);
  }

  /** A plain request is short, so the connection continues unless the rest did not arrive in time. */
  refuse(refusal: Refusal, context: RequestContext): void {
    if (this.#state !== 'busy') return;
    this.#bodyHandler = null;
    this.#body = [];
    if (refusal.status === 408) this.#last = true;
    const { status, headers, body } = refusalResponseFor(refusal, context);
    const head = this.#headText(status, { common: HeaderList.NONE, own: headers }, false);
    this.writeUnsent();
    this.#socket.write(context.method === 'HEAD' ? head : head + body);
    if (this.#bodyLeft > 0) this.#drain();
    else this.#done(DEFAULT_TIMEOUTS.idleMs);
  }

  destroy(): void {
    this.writeUnsent();
    this.#socket.destroy();
  }

  #headText(status: number, { common, own }: ReplyHeaders, chunked: boolean): string {
    return this.#headLines(status, common, headerLines(own), chunked);
  }

  /** @param own - the lines of this response only */
  #headLines(status: number, common: HeaderList, own: string, chunked: boolean): string {
    const { keepAliveTimeout } = this.#delegate.timeouts;
    const coding = chunked ? 'Transfer-Encoding: chunked\r\n' : '';
    const kept =
      keepAliveTimeout > 0
        ? `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveTimeout / 1000)}\r\n\r\n`
        : 'Connection: keep-alive\r\n\r\n';
    return responseHeadText(status, common, own) + coding + (this.#last ? 'Connection: close\r\n\r\n' : kept);
  }

  // ---- ends

  /** The response is written: reads the next request. */
  #done(idleMs: number): void {
    this.#chunked = false;
    const socket = this.#socket;
    const watched = socket.writableLength + (this.#unsent?.length ?? 0) > UNWATCHED;
    // Closes the connection of a client that does not read the rest of its response.
    if (watched || socket.timeout !== undefined) socket.setTimeout(watched ? idleMs : 0);
    if (this.#last) {
      this.#close();
      if (watched) this.expiresAt = Infinity;
      return;
    }
    this.#state = 'waiting';
    this.expiresAt = watched ? Infinity : this.#after(this.#delegate.timeouts.keepAliveTimeout);
    this.#advance();
    // Not before what was read ahead is nearly used up: each further read would copy all of it.
    if (socket.isPaused() && (this.#pending?.length ?? 0) <= MAX_AHEAD) socket.resume();
  }

  /**
   * Skips the rest of a refused request, to reach the next one. This is needed before a close too: closing the socket
   * at once could make the client lose the response.
   */
  #drain(): void {
    this.#state = 'draining';
    if (this.#last) this.expiresAt = this.#after(DRAIN_MS);
    const bytes = this.#pending;
    this.#pending = null;
    if (bytes !== null) this.#skip(bytes);
  }

  #skip(chunk: Buffer): void {
    const size = Math.min(this.#bodyLeft, chunk.length);
    this.#bodyLeft -= size;
    if (size < chunk.length) this.#pending = chunk.subarray(size);
    if (this.#bodyLeft === 0) this.#done(DEFAULT_TIMEOUTS.idleMs);
  }

  #after(ms: number): number {
    return ms > 0 ? this.#delegate.expiryIn(ms) : Infinity;
  }

  #close(): void {
    this.#state = 'over';
    this.#pending = null;
    this.expiresAt = this.#after(DRAIN_MS);
    this.writeUnsent();
    this.#socket.destroySoon();
  }
}

guardMethods(ClientConnection, ['onData', 'onEnd', 'onClose', 'onDrain', 'onTimeout', 'writeUnsent']);

function joined(head: string, body: readonly Buffer[], size: number): Buffer {
  const bytes = Buffer.allocUnsafe(head.length + size);
  let at = bytes.write(head, 0, 'latin1');
  for (const piece of body) at += piece.copy(bytes, at);
  return bytes;
}

function uncork(socket: Socket): void {
  socket.uncork();
}
