import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Refusal } from '../../core/index.ts';
import { drainThenEnd } from '../../adapters/http/express/drain-then-end.ts';
import { readBody } from './body-reader.ts';
import type { BodyLimits, BodyListener } from './body-reader.ts';
import type { ClientListener, ClientSide } from './client-side.ts';
import { endAfterReply, writeRefusal } from './reply.ts';
import type { Visit } from './visit.ts';

/** What may wait for a client without its connection being watched for it. */
const UNWATCHED_BYTES = 32 * 1024;

/** A client whose bytes Node's HTTP server reads and writes: it takes whatever HTTP/1 allows. */
export class NodeClient implements ClientSide {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  #listener: ClientListener | null = null;
  readonly #onClose = (): void => this.#listener?.left();
  readonly #onDrain = (): void => this.#listener?.drained();

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.#req = req;
    this.#res = res;
  }

  get complete(): boolean {
    return this.#req.complete;
  }

  get blocked(): boolean {
    return this.#res.writableNeedDrain;
  }

  /** Node does not tell when a chunk has been written. */
  readonly holding = true;

  listen(listener: ClientListener | null): void {
    this.#listener = listener;
    if (listener === null) this.#res.off('close', this.#onClose);
    else this.#res.on('close', this.#onClose);
  }

  sayContinue(): void {
    this.#res.writeContinue();
  }

  readBody(limits: BodyLimits, listener: BodyListener): void {
    readBody(this.#req, limits, listener);
  }

  whole(status: number, headers: string[], body: readonly Buffer[], size: number, idleMs: number): void {
    if (!this.#writeHead(status, headers)) return;
    const piece = body.length > 1 ? Buffer.concat(body, size) : body[0];
    if (this.#req.complete) {
      this.#res.end(piece);
    } else {
      if (piece !== undefined) this.#res.write(piece);
      drainThenEnd(this.#req, this.#res);
    }
    this.#linger(idleMs);
  }

  begin(status: number, headers: string[]): boolean {
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
    this.#linger(idleMs);
  }

  refuse(refusal: Refusal, visit: Visit, early: boolean): void {
    writeRefusal(this.#req, this.#res, visit, refusal, { early });
  }

  destroy(): void {
    this.#res.destroy();
  }

  #writeHead(status: number, headers: string[]): boolean {
    if (!this.#req.complete) {
      // The upstream answered before it had all of the request: what of it still comes belongs to nothing.
      headers.push('Connection', 'close');
      endAfterReply(this.#req.socket);
    }
    try {
      this.#res.writeHead(status, headers);
      return true;
    } catch {
      this.#res.destroy();
      return false;
    }
  }

  /** A client that does not take the rest must not keep it here for ever. */
  #linger(idleMs: number): void {
    if (this.#res.writableLength > UNWATCHED_BYTES) this.#res.socket?.setTimeout(idleMs);
  }
}
