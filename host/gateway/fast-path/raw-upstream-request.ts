import { Buffer } from 'node:buffer';
import type { UpstreamHealth } from '../../../core/index.ts';
import { INVALID_REQUEST } from '../failure-reasons.ts';
import { UpstreamRequest } from '../upstream-request.ts';
import type { OutgoingRequest, UpstreamResponseHandler } from '../upstream-request.ts';
import type { UpstreamConnectionPool } from './upstream-connection-pool.ts';
import type { RawResponseHandler, UpstreamConnection } from './upstream-connection.ts';

const TARGET = /^[!-~]+$/;
/** Any other byte in a field value would end its line. */
const BREAKS_LINE = /[^\t\x20-\x7e\x80-\xff]/;

/** A request with a complete body over a plain-text connection. */
export class RawUpstreamRequest extends UpstreamRequest implements RawResponseHandler {
  readonly #pool: UpstreamConnectionPool;
  /** The request's bytes, until they are written. */
  #bytes: Buffer | null = null;
  #method = '';
  #connection: UpstreamConnection | null = null;
  #requestSent = false;

  constructor(pool: UpstreamConnectionPool, health: UpstreamHealth, handler: UpstreamResponseHandler) {
    super(health, handler);
    this.#pool = pool;
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
  if (streamed || !TARGET.test(path)) return null;
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] as string;
    if (BREAKS_LINE.test(value)) return null;
    head += `${headers[at] as string}: ${value}\r\n`;
  }
  const size = body?.length ?? 0;
  head += size > 0 || method === 'POST' ? `content-length: ${size}\r\n\r\n` : '\r\n';
  const bytes = Buffer.allocUnsafe(head.length + size);
  bytes.write(head, 0, 'latin1');
  if (body !== null) bytes.set(body, head.length);
  return bytes;
}
