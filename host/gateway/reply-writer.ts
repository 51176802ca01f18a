import type { ClientSide } from './client-side.ts';
import { graceHeaders } from './reply.ts';
import type { Upstream } from './upstream.ts';
import type { Visit } from './visit.ts';

/** What is collected of a reply before its head is sent. */
const KEEP_BYTES = 64 * 1024;

/**
 * An upstream's reply on its way to the client. A short one comes whole in one piece and goes on in one write; what
 * takes longer is not held back, and streams.
 */
export class ReplyWriter {
  readonly #client: ClientSide;
  readonly #visit: Visit;
  #status = 0;
  #headers: string[] = [];
  /** True when the headers tell the length of the body. */
  #measured = false;
  #held: Buffer[] | null = null;
  #heldBytes = 0;
  #flushed = false;
  #bytes = 0;

  constructor(client: ClientSide, visit: Visit) {
    this.#client = client;
    this.#visit = visit;
  }

  get status(): number {
    return this.#status;
  }

  /** True once something of the reply may have reached the client. */
  get flushed(): boolean {
    return this.#flushed;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** True while the client does not take what there is for it. */
  get blocked(): boolean {
    return this.#flushed && this.#client.blocked;
  }

  /** True while a chunk that was given may still be referred to. */
  get holding(): boolean {
    return this.#held !== null || this.#client.holding;
  }

  begin(status: number, fields: readonly string[], upstream: Upstream): void {
    this.#status = status;
    this.#headers = this.#headersOf(fields, upstream);
    this.#held = [];
    this.#heldBytes = 0;
  }

  /** Forgets what was held back. Only before anything was flushed. */
  drop(): void {
    this.#held = null;
  }

  /** False when the client must be waited for. */
  data(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#held === null) return this.#client.write(chunk);
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    return this.#heldBytes <= KEEP_BYTES || this.flush();
  }

  /** Sends the head, and what has come behind it so far. False when the client must be waited for. */
  flush(): boolean {
    const held = this.#held;
    if (held === null) return true;
    this.#held = null;
    this.#flushed = true;
    if (!this.#client.begin(this.#status, this.#headers, this.#measured || this.#bodiless)) return true;
    let ready = true;
    for (const chunk of held) ready = this.#client.write(chunk);
    return ready;
  }

  /** @param idleMs - how long the client may do nothing before the rest is given up */
  end(idleMs: number): void {
    const held = this.#held;
    this.#held = null;
    if (held === null) {
      this.#client.end(idleMs);
    } else {
      this.#flushed = true;
      if (!this.#measured && !this.#bodiless) this.#headers.push('Content-Length', String(this.#heldBytes));
      this.#client.whole(this.#status, this.#headers, held, this.#heldBytes, idleMs);
    }
  }

  get #bodiless(): boolean {
    return this.#status === 204 || this.#status === 304 || this.#visit.method === 'HEAD';
  }

  #headersOf(fields: readonly string[], upstream: Upstream): string[] {
    const length = this.#status === 204 ? null : contentLength(fields);
    this.#measured = length !== null;
    const headers = [...upstream.returned(fields), 'X-Trace-Id', this.#visit.traceId, ...graceHeaders(this.#visit.auth)];
    if (length !== null) headers.push('Content-Length', length);
    return headers;
  }
}

function contentLength(fields: readonly string[]): string | null {
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] as string;
    if (name.length === 14 && name.toLowerCase() === 'content-length') return fields[at + 1] as string;
  }
  return null;
}
