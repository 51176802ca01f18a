import { Buffer } from 'node:buffer';
import type { UpstreamHealth } from '../../../core/index.ts';
import { INVALID_REQUEST } from '../failure-reasons.ts';
import { UpstreamRequest } from '../upstream-request.ts';
import type { OutgoingRequest, UpstreamResponseHandler } from '../upstream-request.ts';
import { RequestText } from './http1/request-text.ts';
import type { UpstreamConnectionPool } from './upstream-connection-pool.ts';
import type { RawResponseHandler, UpstreamConnection } from './upstream-connection.ts';

/** A request with a complete body over a plain-text connection. */
export class RawUpstreamRequest extends UpstreamRequest implements RawResponseHandler {
  readonly #pool: UpstreamConnectionPool;
  /** The request's bytes, until they are written. */
  #bytes: Buffer | null = null;
  #method = 'POST';
  #connection: UpstreamConnection | null = null;
  #requestSent = false;

  /** @param sent - for a POST that was sent already, over this connection */
  constructor(
    pool: UpstreamConnectionPool,
    health: UpstreamHealth,
    handler: UpstreamResponseHandler,
    sent: { readonly connection: UpstreamConnection; readonly startedAt: number } | null = null,
  ) {
    super(health, handler, sent?.startedAt);
    this.#pool = pool;
    if (sent === null) return;
    this.#connection = sent.connection;
    this.#requestSent = true;
  }

  start(request: OutgoingRequest): void {
    const bytes = requestBytes(this.#pool.hostHeader, request);
    if (bytes === null) {
      this.fail(INVALID_REQUEST);
      return;
    }
    this.#bytes = bytes;
    this.#method = request.method;
    this.#pool.assign(this);
  }

  get requestSent(): boolean {
    return this.#requestSent;
  }

  protected get queued(): boolean {
    return this.#pool.full;
  }

  get method(): string {
    return this.#method;
  }

  resume(): void {
    this.#connection?.resume();
  }

  // ---- called by the connection and the pool

  onConnect(connection: UpstreamConnection): Buffer {
    const bytes = this.#bytes as Buffer;
    this.#connection = connection;
    this.#bytes = null;
    this.#requestSent = true;
    this.handler.onUpstreamConnect();
    return bytes;
  }

  onResponseHeaders(status: number, fields: readonly string[], length: string | null): void {
    this.begin(status, fields, length);
  }

  onResponseData(chunk: Buffer): boolean {
    return this.over || this.handler.onResponseData(chunk);
  }

  onResponseIdle(): void {
    if (!this.over) this.handler.onResponseIdle();
  }

  onResponseEnd(): void {
    this.#connection = null;
    this.complete();
  }

  onResponseError(reason: string): void {
    this.#connection = null;
    this.fail(reason);
  }

  onConnectError(reason: string): void {
    this.fail(reason);
  }

  protected abort(): void {
    if (this.#connection === null) this.#pool.cancel(this);
    else this.#connection.destroy();
    this.#connection = null;
  }
}

/** The request in one buffer; `null` if writing it would change the request. */
function requestBytes(host: string, { method, path, headers, body }: OutgoingRequest): Buffer | null {
  const streamed = body !== null && !Buffer.isBuffer(body);
  const text = streamed ? null : RequestText.of(host, method, path, headers);
  if (streamed || text === null) return null;
  let head = text.with([]);
  const size = body?.length ?? 0;
  head += size > 0 || method === 'POST' ? `content-length: ${size}\r\n\r\n` : '\r\n';
  const bytes = Buffer.allocUnsafe(head.length + size);
  bytes.write(head, 0, 'latin1');
  if (body !== null) bytes.set(body, head.length);
  return bytes;
}
