import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Refusal } from '../../core/index.ts';
import { drainThenEnd } from '../../adapters/http/express/drain-then-end.ts';
import type { BodyLimits, ClientRequestHandler, GatewayClient, ReplyHeaders } from './gateway-client.ts';
import { endAfterResponse, writeRefusal } from './refusal-response.ts';
import { RequestBodyStream } from './request-body-stream.ts';
import type { RequestContext } from './request-context.ts';

/** Unsent bytes up to this size need no idle timeout: the kernel's buffer takes them. */
const UNWATCHED_BYTES = 32 * 1024;

/** A client whose connection is handled by Node's HTTP server: any request that HTTP/1 allows. */
export class HttpServerClient implements GatewayClient {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  #handler: ClientRequestHandler | null = null;
  readonly #onClose = (): void => this.#handler?.onClientAborted();
  readonly #onDrain = (): void => this.#handler?.onDrain();

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.#req = req;
    this.#res = res;
  }

  get peer(): string {
    return this.#req.socket.remoteAddress ?? '';
  }

  get needsDrain(): boolean {
    return this.#res.writableNeedDrain;
  }

  /** Node does not report when a chunk was written. */
  readonly retainsChunks = true;

  setHandler(handler: ClientRequestHandler | null): void {
    this.#handler = handler;
    if (handler === null) this.#res.off('close', this.#onClose);
    else this.#res.on('close', this.#onClose);
  }

  writeContinue(): void {
    this.#res.writeContinue();
  }

  readBody(limits: BodyLimits): void {
    if (this.#handler !== null) readBody(this.#req, limits, this.#handler);
  }

  respond(status: number, headers: ReplyHeaders, body: readonly Buffer[], size: number, idleMs: number): void {
    if (!this.#writeHead(status, headers)) return;
    const piece = body.length > 1 ? Buffer.concat(body, size) : body[0];
    if (this.#req.complete) {
      this.#res.end(piece);
    } else {
      if (piece !== undefined) this.#res.write(piece);
      drainThenEnd(this.#req, this.#res);
    }
    this.#closeWhenStalled(idleMs);
  }

  writeHead(status: number, headers: ReplyHeaders): boolean {
    if (!this.#writeHead(status, headers)) return false;
    this.#res.flushHeaders();
    return true;
  }

  write(chunk: Buffer): boolean {
    if (this.#res.write(chunk)) return true;
    this.#res.once('drain', this.#onDrain);
    return false;
  }

  end(idleMs: number): void {
    if (this.#req.complete) this.#res.end();
    else drainThenEnd(this.#req, this.#res);
    this.#closeWhenStalled(idleMs);
  }

  refuse(refusal: Refusal, context: RequestContext): void {
    writeRefusal(this.#req, this.#res, context, refusal);
  }

  destroy(): void {
    this.#res.destroy();
  }

  #writeHead(status: number, { common, own }: ReplyHeaders): boolean {
    const headers = [...common.pairs, ...own];
    if (!this.#req.complete) {
      // The upstream answered before it received the whole request, so the rest of the request is discarded.
      headers.push('Connection', 'close');
      endAfterResponse(this.#req.socket);
    }
    try {
      this.#res.writeHead(status, headers);
      return true;
    } catch {
      this.#res.destroy();
      return false;
    }
  }

  /** Closes the connection of a client that does not read the rest of its response. */
  #closeWhenStalled(idleMs: number): void {
    if (this.#res.writableLength > UNWATCHED_BYTES) this.#res.socket?.setTimeout(idleMs);
  }
}

/** Reads a request's body: as a whole up to `keepBytes`, as a stream beyond. */
function readBody(req: IncomingMessage, limits: BodyLimits, handler: ClientRequestHandler): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = (): void => {
    req.off('data', onData).off('end', onEnd);
  };
  const onEnd = (): void => {
    stop();
    const [first] = chunks;
    handler.onRequestEnd(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size));
  };
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    chunks.push(chunk);
    if (!handler.onRequestData(chunk.length)) {
      stop();
    } else if (size > limits.maxBytes) {
      stop();
      handler.onRequestTooLarge();
    } else if (size > limits.keepBytes) {
      stop();
      req.pause();
      handler.onRequestStream(new RequestBodyStream(req, chunks, size, limits.maxBytes, handler));
    }
  };
  req.on('data', onData).on('end', onEnd);
}
