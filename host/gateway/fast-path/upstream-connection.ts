import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import type { LookupFunction, Socket } from 'node:net';
import type { UpstreamHealth } from '../../../core/index.ts';
import { CONNECT_TIMEOUT, CONNECTION_CLOSED, DESTROYED, failureReason, INVALID_RESPONSE } from '../failure-reasons.ts';
import { guardMethods } from '../guard-methods.ts';
import type { Expirable } from '../timeout-queue.ts';
import type {
  SentConnection,
  UpstreamRequest,
  UpstreamResponseHandler,
  WholeResponseHandler,
} from '../upstream-request.ts';
import { ChunkReader } from './http1/chunk-reader.ts';
import { INCOMPLETE, MALFORMED } from './http1/field-lines.ts';
import { MAX_RESPONSE_HEAD, readResponseHead } from './http1/response-head.ts';
import type { ResponseHead } from './http1/response-head.ts';
import { readBuffers } from './read-buffers.ts';
import type { ResponseHeadCache } from './response-head-cache.ts';
import { SocketWriter } from './socket-writer.ts';
import { turnWrites } from './turn-writes.ts';
import type { Unsent } from './turn-writes.ts';

/** The events of the current request that an {@link UpstreamConnection} reports. `RawUpstreamRequest` implements it. */
export interface RawResponseHandler extends Pick<
  UpstreamResponseHandler,
  'onResponseData' | 'onResponseIdle' | 'retainsChunks' | 'onResponseEnd'
> {
  onResponseHeaders(status: number, fields: readonly string[], length: string | null): void;
  readonly method: string;
  /** A connection was assigned. Returns the request's bytes, which are written now. */
  onConnect(connection: UpstreamConnection): Buffer;
  /** The connection broke before the response was complete. */
  onResponseError(reason: string): void;
  /** No connection could be established. */
  onConnectError(reason: string): void;
}

/** A request whose response a connection reports. */
export type SentRequest = UpstreamRequest & RawResponseHandler;

/** The callbacks and settings that an {@link UpstreamConnection} gets from its pool. */
export interface UpstreamConnectionDelegate {
  readonly host: string;
  readonly port: number;
  readonly connectMs: number;
  readonly lookup: LookupFunction;
  readonly headCache: ResponseHeadCache;
  /** As `expiryIn` of the timeout queue. */
  expiryIn(ms: number): number;
  onConnect(): void;
  /** A request that was sent already over this connection. */
  sent(
    connection: UpstreamConnection,
    health: UpstreamHealth,
    handler: UpstreamResponseHandler,
    startedAt: number,
  ): SentRequest;
  /** The connection can take a request: it is new, or its last response is complete. */
  onIdle(connection: UpstreamConnection): void;
  /** The connection is closed. @param failure - why it was never established; `null` if it was */
  onClose(connection: UpstreamConnection, failure: { readonly reason: string } | null): void;
  /** A connection was closed because of an internal error of the gateway. */
  onError(error: unknown): void;
}

/** The default time for which an idle connection is kept, and the maximum that the upstream may set. */
const KEEP_MS = 4_000;
const MAX_KEEP_MS = 600_000;
/** Idle connections are closed this long before the upstream would close them, so that no request crosses its close. */
const KEEP_MARGIN_MS = 1_000;
/** This many bytes are first searched for the end of a head. */
const FIRST_HEAD_BYTES = 2 * 1024;
/** Longer responses are read into a buffer of their own and forwarded from there without a copy. */
const LONG_RESPONSE = 64 * 1024;
/** The rest of such a buffer is used if it has at least this size. */
const MIN_READ = 32 * 1024;

const CONNECTION = Symbol('upstream connection');
interface UpstreamSocket extends Socket {
  [CONNECTION]?: UpstreamConnection;
}

/** One connection to an upstream, with one request at a time. */
export class UpstreamConnection implements Expirable, SentConnection, Unsent {
  expiresAt: number;
  queuePlace = -1;
  readonly #delegate: UpstreamConnectionDelegate;
  readonly #socket: UpstreamSocket;
  readonly #writer: SocketWriter;
  #connected = false;
  #closed = false;
  #request: RawResponseHandler | null = null;
  /** Set in place of a request while its answer may still come as a whole. */
  #whole: WholeResponseHandler | null = null;
  /** The request's bytes, until the end of the turn. */
  #unsent: Buffer | string | null = null;
  /** The beginning of an incomplete head. */
  #partial: Buffer | null = null;
  #head: ResponseHead | null = null;
  /** Bytes of the body that have not arrived yet, if it has a length. */
  #left = 0;
  /** Bytes of the body so far. */
  #passed = 0;
  /** The buffer that a long response is read into, and how much of it is in use. */
  #own: Buffer | null = null;
  #ownUsed = 0;
  #chunks: ChunkReader | null = null;
  /** True once the response's last byte was read. */
  #complete = false;
  #paused = false;
  #keepMs = KEEP_MS;
  readonly #passChunk = (chunk: Buffer): void => this.#pass(chunk);

  constructor(delegate: UpstreamConnectionDelegate) {
    this.#delegate = delegate;
    this.expiresAt = delegate.expiryIn(delegate.connectMs);
    const socket: UpstreamSocket = connect({
      host: delegate.host,
      port: delegate.port,
      lookup: delegate.lookup,
      noDelay: true,
      onread: { buffer: () => this.#buffer(), callback: (size, buffer) => this.onRead(size, buffer as Buffer) },
    });
    socket[CONNECTION] = this;
    this.#socket = socket;
    this.#writer = new SocketWriter(socket);
    socket.on('connect', onConnect).on('end', onEnd).on('error', onError).on('close', onClose);
  }

  /** True while it can take a request. @param now - by `performance.now()`, in milliseconds */
  isUsable(now: number): boolean {
    return this.#connected && !this.#closed && this.#request === null && this.#whole === null && this.expiresAt > now;
  }

  /** Writes a request and reads its response. */
  send(request: RawResponseHandler): void {
    this.#request = request;
    this.expiresAt = Infinity;
    this.#unsent = request.onConnect(this);
    turnWrites.add(this);
  }

  /** Writes a request whose answer is expected as a whole. */
  sendWhole(handler: WholeResponseHandler): void {
    this.#whole = handler;
    this.expiresAt = Infinity;
    this.#unsent = handler.outgoing;
    turnWrites.add(this);
  }

  giveBack(): void {
    this.#delegate.onIdle(this);
  }

  handOver(health: UpstreamHealth, handler: UpstreamResponseHandler, startedAt: number): UpstreamRequest {
    const request = this.#delegate.sent(this, health, handler, startedAt);
    this.#whole = null;
    this.#request = request;
    return request;
  }

  writeUnsent(): void {
    const bytes = this.#unsent;
    this.#unsent = null;
    if (bytes !== null) this.#writer.write(bytes);
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#socket.resume();
  }

  /** Closes the connection; only the delegate is called. */
  destroy(): void {
    this.#request = null;
    this.#whole = null;
    this.#close(null);
  }

  close(): void {
    if (this.#connected) this.#fail(DESTROYED);
    else this.#close({ reason: DESTROYED });
  }

  /** Closes the connection; the request on it fails. */
  abort(error: unknown): void {
    this.#delegate.onError(error);
    this.close();
  }

  /** The connection was not established in time, or was idle for too long. */
  onTimeout(): void {
    if (this.#connected) this.destroy();
    else this.#close({ reason: CONNECT_TIMEOUT });
  }

  // ---- called by the socket

  onSocketConnect(): void {
    this.#connected = true;
    this.#delegate.onConnect();
    this.#becomeIdle();
  }

  onRead(size: number, buffer: Buffer): boolean {
    // These bytes cannot be a response: the request was not sent yet.
    if (this.#unsent !== null) {
      this.#fail(INVALID_RESPONSE);
      return true;
    }
    const own = this.#own !== null;
    if (own) this.#ownUsed += size;
    const bytes = buffer.subarray(0, size);
    this.#received(bytes);
    if (!own) readBuffers.invalidate(bytes);
    return true;
  }

  #buffer(): Buffer {
    if (this.#request === null || this.#head === null) return readBuffers.shared;
    if (this.#own === null) {
      if (this.#left > LONG_RESPONSE || this.#passed > LONG_RESPONSE) this.#own = readBuffers.take();
    } else if (!this.#request.retainsChunks) {
      readBuffers.invalidate(this.#own.subarray(0, this.#ownUsed));
      this.#ownUsed = 0;
    } else if (this.#own.length - this.#ownUsed < MIN_READ) {
      this.#own = readBuffers.take();
      this.#ownUsed = 0;
    }
    return this.#own?.subarray(this.#ownUsed) ?? readBuffers.shared;
  }

  #received(chunk: Buffer): void {
    const whole = this.#whole;
    if (whole !== null) {
      if (this.#readWhole(chunk, whole)) return;
      whole.onOther();
    }
    let at = 0;
    while (at < chunk.length && this.#request !== null && !this.#complete) {
      const used = this.#head === null ? this.#readHead(chunk, at) : this.#readBody(chunk, at);
      if (used < 0) {
        this.#fail(INVALID_RESPONSE);
        return;
      }
      at += used;
    }
    if (this.#complete) this.#finish(at === chunk.length);
    // Bytes without a request: no later byte can be assigned to a request either.
    else if (at < chunk.length) this.destroy();
    else this.#request?.onResponseIdle();
  }

  onSocketEnd(): void {
    if (this.#head?.bodyEnd === 'close') this.#finish(false);
    else this.#fail(CONNECTION_CLOSED);
  }

  onSocketError(error: Error): void {
    if (this.#connected) this.#fail(failureReason(error));
    else this.#close({ reason: failureReason(error) });
  }

  onSocketClose(): void {
    if (this.#connected) this.#fail(CONNECTION_CLOSED);
    else this.#close({ reason: CONNECTION_CLOSED });
  }

  // ---- the response

  /** Reads a chunk that is one whole response. Returns false, and has read nothing, for any other. */
  #readWhole(chunk: Buffer, whole: WholeResponseHandler): boolean {
    const { headCache } = this.#delegate;
    const head = headCache.read(chunk, 0, 'POST');
    if (head?.bodyEnd !== 'length' || head.length + head.contentLength !== chunk.length) return false;
    const body = headCache.bodyOf(chunk, head);
    if (!whole.onWholeResponse(head.status, head.fields, head.declaredLength ?? '', body)) return false;
    this.#whole = null;
    this.#head = head;
    this.#keepFor(head);
    this.#finish(true);
    whole.onWholeResponseEnd();
    return true;
  }

  /** Returns how many bytes of the chunk were used; negative if they are no response. */
  #readHead(chunk: Buffer, from: number): number {
    const request = this.#request as RawResponseHandler;
    const whole = this.#partial === null ? this.#delegate.headCache.read(chunk, from, request.method) : null;
    if (whole !== null) {
      this.#begin(whole, request);
      return whole.length;
    }
    const fresh = from === 0 ? chunk : chunk.subarray(from);
    const bytes = this.#partial === null ? fresh : Buffer.concat([this.#partial, fresh]);
    let head = readResponseHead(bytes.toString('latin1', 0, FIRST_HEAD_BYTES), request.method);
    if (head === INCOMPLETE && bytes.length > FIRST_HEAD_BYTES)
      head = readResponseHead(bytes.toString('latin1', 0, MAX_RESPONSE_HEAD), request.method);
    if (head === MALFORMED || (head === INCOMPLETE && bytes.length >= MAX_RESPONSE_HEAD)) return -1;
    if (head === INCOMPLETE) {
      this.#partial = Buffer.from(bytes);
      return fresh.length;
    }
    const before = this.#partial?.length ?? 0;
    this.#partial = null;
    // The protocol is never switched here; other interim responses are dropped.
    if (head.status === 101) return -1;
    if (head.status >= 200) this.#begin(head, request);
    return head.length - before;
  }

  #begin(head: ResponseHead, request: RawResponseHandler): void {
    this.#head = head;
    this.#left = head.contentLength;
    this.#passed = 0;
    if (head.bodyEnd === 'chunked') this.#chunks = new ChunkReader();
    this.#keepFor(head);
    request.onResponseHeaders(head.status, head.fields, head.declaredLength);
    this.#complete = head.bodyEnd === 'none' || (head.bodyEnd === 'length' && this.#left === 0);
  }

  #keepFor({ keepAliveSeconds }: ResponseHead): void {
    if (keepAliveSeconds !== null) this.#keepMs = Math.min(keepAliveSeconds * 1000 - KEEP_MARGIN_MS, MAX_KEEP_MS);
  }

  #readBody(chunk: Buffer, from: number): number {
    if (this.#chunks !== null) {
      const used = this.#chunks.read(chunk, from, this.#passChunk);
      this.#complete = this.#chunks.over;
      return used;
    }
    const size = this.#head?.bodyEnd === 'length' ? Math.min(this.#left, chunk.length - from) : chunk.length - from;
    this.#pass(from === 0 && size === chunk.length ? chunk : chunk.subarray(from, from + size));
    if (this.#head?.bodyEnd === 'length') {
      this.#left -= size;
      this.#complete = this.#left === 0;
    }
    return size;
  }

  #pass(chunk: Buffer): void {
    this.#passed += chunk.length;
    if (
      this.#request === null ||
      this.#request.onResponseData(this.#own === null ? Buffer.from(chunk) : chunk) ||
      this.#paused
    )
      return;
    this.#paused = true;
    this.#socket.pause();
  }

  /** @param clean - false if bytes followed the response */
  #finish(clean: boolean): void {
    const request = this.#request;
    const keep = clean && this.#head?.keepAlive === true && this.#keepMs > 0 && !this.#writer.waiting && !this.#closed;
    const own = this.#own;
    this.#request = null;
    this.#head = null;
    this.#chunks = null;
    this.#own = null;
    this.#ownUsed = 0;
    this.#complete = false;
    this.resume();
    if (keep) this.#becomeIdle();
    else this.destroy();
    request?.onResponseEnd();
    if (own !== null && request?.retainsChunks === false) readBuffers.give(own);
  }

  // ---- ends

  #becomeIdle(): void {
    this.expiresAt = this.#delegate.expiryIn(this.#keepMs);
    this.#delegate.onIdle(this);
  }

  #fail(reason: string): void {
    this.#whole?.onOther();
    const request = this.#request;
    this.destroy();
    request?.onResponseError(reason);
  }

  #close(failure: { readonly reason: string } | null): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.destroy();
    this.#delegate.onClose(this, failure);
  }
}

guardMethods(UpstreamConnection, [
  'onTimeout',
  'writeUnsent',
  'onSocketConnect',
  'onRead',
  'onSocketEnd',
  'onSocketError',
  'onSocketClose',
]);

function onConnect(this: UpstreamSocket): void {
  this[CONNECTION]?.onSocketConnect();
}

function onEnd(this: UpstreamSocket): void {
  this[CONNECTION]?.onSocketEnd();
}

function onError(this: UpstreamSocket, error: Error): void {
  this[CONNECTION]?.onSocketError(error);
}

function onClose(this: UpstreamSocket): void {
  this[CONNECTION]?.onSocketClose();
}
