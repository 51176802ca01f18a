import { DIAL_TIMEOUT, UNSENDABLE } from './failure-words.ts';
import type { Line, LineUser } from './line.ts';
import { UpstreamCall } from './upstream-call.ts';
import type { CallRequest } from './upstream-call.ts';

const TARGET = /^[!-~]+$/;
const BREAKS_LINE = /[^\t\x20-\x7e\x80-\xff]/;

/** A call over a plain connection of our own, with a body that is there as a whole. */
export class LineCall extends UpstreamCall implements LineUser {
  /** The request's bytes, until they are written. */
  #bytes: Buffer | null = null;
  #method = '';
  #line: Line | null = null;
  #sent = false;

  start({ path, method, headers, body }: CallRequest): void {
    const bytes = body === null || Buffer.isBuffer(body) ? requestBytes(`${method} ${path}`, path, this.upstream.host, headers, body, method) : null;
    if (bytes === null) {
      this.fail(UNSENDABLE);
      return;
    }
    this.#bytes = bytes;
    this.#method = method;
    this.upstream.lines.serve(this);
  }

  get sent(): boolean {
    return this.#sent;
  }

  get method(): string {
    return this.#method;
  }

  resume(): void {
    this.#line?.resume();
  }

  // ---- what its line tells it

  taken(line: Line): Buffer {
    const bytes = this.#bytes as Buffer;
    this.#line = line;
    this.#bytes = null;
    this.#sent = true;
    this.listener.sent();
    return bytes;
  }

  answered(status: number, fields: readonly string[]): void {
    this.begin(status, fields);
  }

  data(chunk: Buffer): boolean {
    return this.over || this.listener.data(chunk);
  }

  pausing(): void {
    if (!this.over) this.listener.pausing();
  }

  ended(): void {
    this.#line = null;
    this.complete();
  }

  broken(word: string): void {
    this.#line = null;
    this.fail(word);
  }

  notDialled(word: string | null): void {
    this.fail(word ?? DIAL_TIMEOUT);
  }

  protected abort(): void {
    if (this.#line === null) this.upstream.lines.forget(this);
    else this.#line.cut();
    this.#line = null;
  }
}

/** A request as one piece; `null` for one that cannot be written without becoming another. */
function requestBytes(start: string, path: string, host: string, headers: readonly string[], body: Buffer | null, method: string): Buffer | null {
  if (!TARGET.test(path)) return null;
  let head = `${start} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] as string;
    if (BREAKS_LINE.test(value)) return null;
    head += `${headers[at] as string}: ${value}\r\n`;
  }
  const size = body?.length ?? 0;
  head += size > 0 || method === 'POST' ? `content-length: ${size}\r\n\r\n` : '\r\n';
  const bytes = Buffer.allocUnsafe(head.length + size);
  bytes.write(head, 0, 'latin1');
  if (body !== null) body.copy(bytes, head.length);
  return bytes;
}
