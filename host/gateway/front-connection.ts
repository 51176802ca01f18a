import type { Socket } from 'node:net';
import type { Refusal } from '../../core/index.ts';
import type { BodyLimits, BodyListener } from './body-reader.ts';
import type { ClientListener, ClientSide } from './client-side.ts';
import type { Dated } from './deadlines.ts';
import { MAX_PLAIN_HEAD, readPlainRequest } from './http1/plain-request.ts';
import type { PlainRequest } from './http1/plain-request.ts';
import { replyHead } from './http1/reply-text.ts';
import { refusalFor } from './reply.ts';
import type { Visit } from './visit.ts';

/** What a connection needs of the listener it came to. */
export interface FrontHost {
  /** How long it waits, in milliseconds; 0 for ever. */
  readonly timeouts: { readonly headersTimeout: number; readonly requestTimeout: number; readonly keepAliveTimeout: number };
  /** True for a `Host` header that is one of the gateway's. */
  serves(host: string): boolean;
  /** Answers a request. */
  request(client: ClientSide, request: PlainRequest): void;
  /** Gives the connection to Node's HTTP server, as if these were its first bytes. */
  handOver(connection: FrontConnection, socket: Socket, bytes: Buffer): void;
  closed(connection: FrontConnection): void;
  /** Has {@link FrontConnection.overdue} called when its time has come. */
  watch(connection: FrontConnection): void;
}

/** What a client may send ahead of its present request's reply before it is made to wait. */
const MAX_AHEAD = 64 * 1024;
/** What may wait for a client before its upstream is made to wait. */
const MAX_WAITING = 128 * 1024;
/** Replies up to this size are copied into one piece with their head: that costs less than a second piece. */
const ONE_PIECE = 64 * 1024;
/** What may wait for a client without its connection being watched for it. */
const UNWATCHED = 32 * 1024;
/** How long what nobody wants is read before the connection is cut. */
const DRAIN_MS = 2_000;

type State = 'waiting' | 'busy' | 'draining' | 'over';

const HEAD_END = Buffer.from('\r\n\r\n');
/** Heads up to this size are kept to know them again. */
const KNOWN_HEAD = 1024;

/** Most clients of a node send the same head again and again: what it says need be read once. */
interface KnownHead {
  readonly bytes: Buffer;
  readonly request: PlainRequest;
}

const FRONT = Symbol('front connection');
/** A client's socket, and the connection that reads it. */
export interface FrontSocket extends Socket {
  [FRONT]?: FrontConnection | undefined;
}

/**
 * A client's connection, read straight from its socket: one plain request after another. Whatever is not plain goes on
 * to Node's HTTP server, together with the connection; that can be done only between two requests, and is for good.
 */
export class FrontConnection implements ClientSide, Dated {
  dueAt: number;
  readonly #host: FrontHost;
  readonly #socket: FrontSocket;
  #state: State = 'waiting';
  /** Bytes that have not been read yet. */
  #pending: Buffer | null = null;
  #advancing = false;
  #listener: ClientListener | null = null;
  /** True when the connection closes with the present reply. */
  #last = false;
  #chunked = false;
  /** What of the present request's body is still to come. */
  #bodyLeft = 0;
  #body: Buffer[] = [];
  #bodyListener: BodyListener | null = null;
  #known: KnownHead | null = null;

  constructor(host: FrontHost, socket: FrontSocket) {
    this.#host = host;
    this.#socket = socket;
    this.dueAt = after(host.timeouts.headersTimeout);
    socket[FRONT] = this;
    socket.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose).on('drain', onDrain).on('timeout', onTimeout);
  }

  // ---- what the socket tells

  received(chunk: Buffer): void {
    if (this.#state === 'over') return;
    if (this.#state === 'draining') {
      this.#bodyLeft -= chunk.length;
      if (this.#bodyLeft <= 0) this.#close();
    } else if (this.#bodyListener !== null) {
      this.#readOn(chunk);
    } else {
      this.#pending = this.#pending === null ? chunk : Buffer.concat([this.#pending, chunk]);
      if (this.#state === 'waiting') this.#advance();
      else if (this.#pending.length > MAX_AHEAD) this.#socket.pause();
    }
  }

  /** The client sends no more: what it still waits for is not worth finishing. */
  ended(): void {
    if (this.#state === 'busy') this.destroy();
    else this.#close();
  }

  gone(): void {
    this.#state = 'over';
    this.#pending = null;
    this.#body = [];
    this.#bodyListener = null;
    this.#host.closed(this);
    this.#listener?.left();
  }

  drained(): void {
    this.#listener?.drained();
  }

  overdue(): void {
    if (this.#state !== 'busy') {
      this.destroy();
      return;
    }
    this.dueAt = Infinity;
    this.#host.watch(this);
    this.#listener?.late();
  }

  /** Closes the connection once it has nothing to do. */
  retire(): void {
    this.#last = true;
    if (this.#state === 'waiting') this.#close();
  }

  get idle(): boolean {
    return this.#state === 'waiting';
  }

  // ---- requests

  #advance(): void {
    if (this.#advancing) return;
    this.#advancing = true;
    while (this.#pending !== null && this.#state === 'waiting') this.#read(this.#pending);
    this.#advancing = false;
  }

  #read(bytes: Buffer): void {
    const request = this.#requestOf(bytes);
    if (request === null || !this.#host.serves(request.host)) {
      this.#handOver(bytes);
      return;
    }
    this.#state = 'busy';
    this.#last ||= request.close;
    this.#bodyLeft = request.head.contentLength ?? 0;
    this.#pending = bytes.length > request.length ? bytes.subarray(request.length) : null;
    this.dueAt = this.#bodyLeft > 0 ? after(this.#host.timeouts.requestTimeout) : Infinity;
    this.#host.request(this, request);
  }

  #requestOf(bytes: Buffer): PlainRequest | null {
    const known = this.#known;
    const size = known?.bytes.length ?? 0;
    if (known !== null && bytes.length >= size && known.bytes.compare(bytes, 0, size) === 0) return known.request;
    const end = bytes.indexOf(HEAD_END) + HEAD_END.length;
    if (end < HEAD_END.length || end > MAX_PLAIN_HEAD) return null;
    const request = readPlainRequest(bytes.toString('latin1', 0, end));
    if (request !== null && end <= KNOWN_HEAD) this.#known = { bytes: Buffer.from(bytes.subarray(0, end)), request };
    return request;
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket;
    this.#state = 'over';
    this.#pending = null;
    socket[FRONT] = undefined;
    socket.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose).off('drain', onDrain).off('timeout', onTimeout);
    socket.setTimeout(0);
    this.#host.handOver(this, socket, bytes);
  }

  // ---- the client's side of an exchange

  get complete(): boolean {
    return this.#bodyLeft === 0;
  }

  get blocked(): boolean {
    return this.#socket.writableLength >= MAX_WAITING;
  }

  get holding(): boolean {
    return this.#socket.writableLength > 0;
  }

  listen(listener: ClientListener | null): void {
    this.#listener = listener;
  }

  sayContinue(): void {
    this.#socket.write('HTTP/1.1 100 Continue\r\n\r\n');
  }

  readBody(_limits: BodyLimits, listener: BodyListener): void {
    this.#bodyListener = listener;
    const bytes = this.#pending;
    this.#pending = null;
    if (bytes !== null) this.#readOn(bytes);
  }

  #readOn(chunk: Buffer): void {
    const listener = this.#bodyListener as BodyListener;
    const size = Math.min(this.#bodyLeft, chunk.length);
    const piece = size === chunk.length ? chunk : chunk.subarray(0, size);
    if (size < chunk.length) this.#pending = chunk.subarray(size);
    this.#body.push(piece);
    this.#bodyLeft -= size;
    if (!listener.progress(size) || this.#bodyLeft > 0) return;
    const body = this.#body.length === 1 ? piece : Buffer.concat(this.#body);
    this.#bodyListener = null;
    this.#body = [];
    this.dueAt = Infinity;
    listener.whole(body);
  }

  whole(status: number, headers: string[], body: readonly Buffer[], size: number, idleMs: number): void {
    const head = this.#headText(status, headers, false);
    if (size > ONE_PIECE) {
      this.#socket.cork();
      this.#socket.write(head, 'latin1');
      for (const piece of body) this.#socket.write(piece);
      this.#socket.uncork();
    } else {
      this.#socket.write(joined(head, body, size));
    }
    this.#done(idleMs);
  }

  begin(status: number, headers: string[], measured: boolean): boolean {
    this.#chunked = !measured;
    // Corked until the end of this turn, so that what follows at once goes in the same write.
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

  refuse(refusal: Refusal, visit: Visit, early: boolean): void {
    if (this.#state !== 'busy') return;
    this.#bodyListener = null;
    this.#body = [];
    if (early) this.#last = true;
    const { status, headers, body } = refusalFor(refusal, visit);
    const head = this.#headText(status, headers, false);
    this.#socket.write(visit.method === 'HEAD' ? head : head + body);
    if (this.#bodyLeft > 0) this.#drain();
    else this.#done(0);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #headText(status: number, headers: readonly string[], chunked: boolean): string {
    const { keepAliveTimeout } = this.#host.timeouts;
    const coding = chunked ? 'Transfer-Encoding: chunked\r\n' : '';
    const kept = keepAliveTimeout > 0 ? `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveTimeout / 1000)}\r\n\r\n` : 'Connection: keep-alive\r\n\r\n';
    return replyHead(status, headers) + coding + (this.#last ? 'Connection: close\r\n\r\n' : kept);
  }

  // ---- ends

  /** The reply is written: the next request may come. */
  #done(idleMs: number): void {
    this.#chunked = false;
    const socket = this.#socket;
    const watched = socket.writableLength > UNWATCHED;
    // A client that does not take the rest must not keep it here for ever.
    if (watched || socket.timeout !== undefined) socket.setTimeout(watched ? idleMs : 0);
    if (this.#last) {
      this.#close();
      if (watched) this.dueAt = Infinity;
      return;
    }
    this.#state = 'waiting';
    this.dueAt = watched ? Infinity : after(this.#host.timeouts.keepAliveTimeout);
    if (socket.isPaused()) socket.resume();
    this.#advance();
  }

  /** Reads over what of a refused request still comes, so that the client can read its reply. */
  #drain(): void {
    this.#state = 'draining';
    this.#bodyLeft -= this.#pending?.length ?? 0;
    this.#pending = null;
    this.dueAt = after(DRAIN_MS);
    if (this.#bodyLeft <= 0) this.#close();
  }

  #close(): void {
    this.#state = 'over';
    this.#pending = null;
    this.dueAt = after(DRAIN_MS);
    this.#socket.destroySoon();
  }
}

function after(ms: number): number {
  return ms > 0 ? performance.now() + ms : Infinity;
}

function joined(head: string, body: readonly Buffer[], size: number): Buffer {
  const bytes = Buffer.allocUnsafe(head.length + size);
  let at = bytes.write(head, 0, 'latin1');
  for (const piece of body) at += piece.copy(bytes, at);
  return bytes;
}

function uncork(socket: Socket): void {
  socket.uncork();
}

function onData(this: FrontSocket, chunk: Buffer): void {
  this[FRONT]?.received(chunk);
}

function onEnd(this: FrontSocket): void {
  this[FRONT]?.ended();
}

/** 'close' follows. */
function onError(this: FrontSocket): void {
  this.destroy();
}

function onClose(this: FrontSocket): void {
  this[FRONT]?.gone();
}

function onDrain(this: FrontSocket): void {
  this[FRONT]?.drained();
}

/** The client took nothing for too long; or it has taken all there was, and its connection was kept long enough. */
function onTimeout(this: FrontSocket): void {
  this.destroy();
}
