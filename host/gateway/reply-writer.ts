import type { IncomingMessage, ServerResponse } from 'node:http';
import { replyHeaders } from '../../core/index.ts';
import type { Upstream } from './upstream.ts';
import { drainThenEnd, endAfterReply, graceHeaders } from './reply.ts';
import type { Visit } from './visit.ts';

/** What is collected of a reply before its head is sent. */
const KEEP_BYTES = 64 * 1024;

/**
 * An upstream's reply on its way to the client. A short one comes whole in one piece and goes on in one write; what
 * takes longer is not held back, and streams.
 */
export class ReplyWriter {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #visit: Visit;
  readonly #onDrain: () => void;
  #status = 0;
  #headers: string[] = [];
  #held: Buffer[] | null = null;
  #heldBytes = 0;
  #flushed = false;
  #bytes = 0;

  /** @param onDrain - called when the client takes more again */
  constructor(req: IncomingMessage, res: ServerResponse, visit: Visit, onDrain: () => void) {
    this.#req = req;
    this.#res = res;
    this.#visit = visit;
    this.#onDrain = onDrain;
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
    return this.#flushed && this.#res.writableNeedDrain;
  }

  begin(status: number, rawHeaders: readonly Buffer[], upstream: Upstream): void {
    this.#status = status;
    this.#headers = this.#headersOf(rawHeaders, upstream);
    this.#held = [];
    this.#heldBytes = 0;
    process.nextTick(flushHeld, this);
  }

  /** Forgets what was held back. Only before anything was flushed. */
  drop(): void {
    this.#held = null;
  }

  /** False when the client must be waited for. */
  data(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#held === null) return this.#write(chunk);
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > KEEP_BYTES) this.flush();
    return true;
  }

  /** Sends the head, and what has come behind it so far. */
  flush(): void {
    const held = this.#held;
    if (held === null) return;
    this.#held = null;
    if (!this.#writeHead()) return;
    if (held.length === 0) this.#res.flushHeaders();
    for (const chunk of held) this.#write(chunk);
  }

  /** @param idleMs - how long the client may do nothing before the rest is given up */
  end(idleMs: number): void {
    const held = this.#held;
    this.#held = null;
    if (held !== null) {
      this.#addLength();
      if (!this.#writeHead()) return;
    }
    const body = held === null || held.length === 0 ? undefined : held.length === 1 ? held[0] : Buffer.concat(held, this.#heldBytes);
    if (this.#req.complete) {
      this.#res.end(body);
    } else {
      if (body !== undefined) this.#res.write(body);
      drainThenEnd(this.#req, this.#res);
    }
    // A client that does not take the rest must not keep it here for ever.
    if (this.#res.writableLength > KEEP_BYTES / 2) this.#res.socket?.setTimeout(idleMs);
  }

  #addLength(): void {
    const bodiless = this.#status === 204 || this.#status === 304 || this.#visit.method === 'HEAD';
    if (!bodiless && !this.#headers.includes('Content-Length')) this.#headers.push('Content-Length', String(this.#heldBytes));
  }

  /** False when the upstream's head cannot be written: the connection ends. */
  #writeHead(): boolean {
    if (!this.#req.complete) {
      // The upstream answered before it had all of the request: what of it still comes belongs to nothing.
      this.#headers.push('Connection', 'close');
      endAfterReply(this.#req.socket);
    }
    this.#flushed = true;
    try {
      this.#res.writeHead(this.#status, this.#headers);
      return true;
    } catch {
      this.#res.destroy();
      return false;
    }
  }

  #write(chunk: Buffer): boolean {
    if (this.#res.write(chunk)) return true;
    this.#res.once('drain', this.#onDrain);
    return false;
  }

  #headersOf(raw: readonly Buffer[], upstream: Upstream): string[] {
    const text = raw.map((part) => part.toString('latin1'));
    const headers = replyHeaders(text, upstream);
    const length = this.#status === 204 ? null : contentLength(text);
    if (length !== null) headers.push('Content-Length', length);
    headers.push('X-Trace-Id', this.#visit.traceId, ...graceHeaders(this.#visit.auth));
    return headers;
  }
}

function flushHeld(reply: ReplyWriter): void {
  reply.flush();
}

function contentLength(rawHeaders: readonly string[]): string | null {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 14 && name.toLowerCase() === 'content-length') return rawHeaders[at + 1] ?? null;
  }
  return null;
}
