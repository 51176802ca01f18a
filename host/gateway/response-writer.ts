import type { GatewayClient, ReplyHeaders } from './gateway-client.ts';
import { HeaderList } from './header-list.ts';
import { corsOf, graceHeaders } from './request-context.ts';
import type { RequestContext } from './request-context.ts';
import type { Upstream } from './upstream.ts';

/** A response is buffered up to this size before its head is sent. */
const MAX_BUFFERED_BYTES = 64 * 1024;

/** Writes an upstream's response to the client: a short one in one write, a longer or slower one streamed. */
export class ResponseWriter {
  readonly #client: GatewayClient;
  readonly #context: RequestContext;
  #status = 0;
  #headers: ReplyHeaders = { common: HeaderList.NONE, own: [] };
  #hasLength = false;
  /** The unsent part; `null` once the head was sent. */
  #buffered: Buffer[] | null = null;
  #bufferedBytes = 0;
  #flushed = false;
  #bytes = 0;

  constructor(client: GatewayClient, context: RequestContext) {
    this.#client = client;
    this.#context = context;
  }

  /** 0 before `begin`. */
  get status(): number {
    return this.#status;
  }

  /** True once a byte of the response may have reached the client. */
  get flushed(): boolean {
    return this.#flushed;
  }

  /** Bytes of the body so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True while the client does not read the written bytes. */
  get blocked(): boolean {
    return this.#flushed && this.#client.needsDrain;
  }

  /** True while a chunk that was passed to `write` may still be referenced. */
  get retainsChunks(): boolean {
    return this.#buffered !== null || this.#client.retainsChunks;
  }

  /**
   * @param fields - names alternating with values, without `Content-Length`
   * @param length - the value of `Content-Length`; `null` without one
   * @param upstream - the source; `null` for a response of the gateway itself
   */
  begin(status: number, fields: readonly string[], length: string | null, upstream: Upstream | null): void {
    this.#status = status;
    this.#headers = this.#headersOf(fields, status === 204 ? null : length, upstream);
    this.#buffered = [];
    this.#bufferedBytes = 0;
  }

  /** Drops the buffered part. Only allowed before anything was flushed. */
  discard(): void {
    this.#buffered = null;
  }

  /** Returns false when the caller should wait for the client to drain. */
  write(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#buffered === null) return this.#client.write(chunk);
    this.#buffered.push(chunk);
    this.#bufferedBytes += chunk.length;
    return this.#bufferedBytes <= MAX_BUFFERED_BYTES || this.flush();
  }

  /** Sends the head and the buffered part. Returns false when the caller should wait for the client to drain. */
  flush(): boolean {
    const buffered = this.#buffered;
    if (buffered === null) return true;
    this.#buffered = null;
    this.#flushed = true;
    if (!this.#client.writeHead(this.#status, this.#headers, this.#hasLength || this.#bodiless)) return true;
    let ready = true;
    for (const chunk of buffered) ready = this.#client.write(chunk);
    return ready;
  }

  /** @param idleMs - how long the client may read nothing before its connection is closed */
  end(idleMs: number): void {
    const buffered = this.#buffered;
    this.#buffered = null;
    if (buffered === null) {
      this.#client.end(idleMs);
    } else {
      this.#flushed = true;
      if (!this.#hasLength && !this.#bodiless) this.#headers.own.push('Content-Length', String(this.#bufferedBytes));
      this.#client.respond(this.#status, this.#headers, buffered, this.#bufferedBytes, idleMs);
    }
  }

  get #bodiless(): boolean {
    return this.#status === 204 || this.#status === 304 || this.#context.method === 'HEAD';
  }

  #headersOf(fields: readonly string[], length: string | null, upstream: Upstream | null): ReplyHeaders {
    this.#hasLength = length !== null;
    const { traceId, auth } = this.#context;
    const own = ['X-Trace-Id', traceId, ...graceHeaders(auth), ...corsOf(this.#context)];
    if (length !== null) own.push('Content-Length', length);
    return { common: upstream?.returned(fields) ?? new HeaderList(fields), own };
  }
}
