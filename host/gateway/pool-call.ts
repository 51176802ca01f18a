import type { Dispatcher } from 'undici';
import { wordOf } from './failure-words.ts';
import { UpstreamCall } from './upstream-call.ts';
import type { CallRequest } from './upstream-call.ts';

/** What a field's value must not hold: it would end its line. */
const BREAKS_LINE = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * A call by undici's pool: over TLS, and with bodies that stream. It is undici's handler in the older form of that
 * interface, which undici marks as outgoing but hands the headers over as they came; the newer one takes them apart for
 * each reply first.
 */
export class PoolCall extends UpstreamCall implements Dispatcher.DispatchHandler {
  #abort: ((error?: Error) => void) | null = null;
  #resume: (() => void) | null = null;

  start({ path, method, headers, body, contentLength }: CallRequest): void {
    const length = body !== null && !Buffer.isBuffer(body) && contentLength !== null ? ['content-length', String(contentLength)] : [];
    this.upstream.pool.dispatch({ path, method, headers: [...headers, ...length], body }, this);
  }

  get sent(): boolean {
    return this.#abort !== null;
  }

  resume(): void {
    this.#resume?.();
  }

  onConnect(abort: (error?: Error) => void): void {
    // Thrown, not aborted: the connection has not been used and may serve another. Written once, never again.
    if (this.over || this.#abort !== null) throw new Error('The call is over.');
    this.#abort = abort;
    this.listener.sent();
  }

  onHeaders(status: number, rawHeaders: Buffer[], resume: () => void): boolean {
    if (status < 200 || this.over) return true;
    this.#resume = resume;
    const fields = rawHeaders.map((part) => part.toString('latin1'));
    if (fields.some((field) => BREAKS_LINE.test(field))) throw new Error('A header of the reply is malformed.');
    this.begin(status, fields);
    process.nextTick(tellPausing, this);
    return true;
  }

  onData(chunk: Buffer): boolean {
    return this.over || this.listener.data(chunk);
  }

  onComplete(): void {
    this.complete();
  }

  onError(error: Error): void {
    this.fail(wordOf(error));
  }

  /** Tells the listener that there is no more for now. */
  tellPausing(): void {
    if (!this.over) this.listener.pausing();
  }

  protected abort(): void {
    this.#abort?.();
  }
}

function tellPausing(call: PoolCall): void {
  call.tellPausing();
}

