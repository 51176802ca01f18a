import type { Dispatcher } from 'undici';
import type { Upstream } from './upstream.ts';

/** Who waits for a reply of an upstream. */
export interface CallListener {
  /** The request is about to be written to a connection. */
  sent(): void;
  head(status: number, rawHeaders: readonly Buffer[]): void;
  /** False to be given no more until the call is resumed. */
  data(chunk: Buffer): boolean;
  end(): void;
  /** The reply did not come, or not to its end. */
  failed(failure: CallFailure): void;
}

/** How a call failed. */
export interface CallFailure {
  /** False only when not a byte of the request can have reached the upstream. */
  readonly sent: boolean;
  /** The system's word for it (`ECONNREFUSED`); never a message, which could repeat the request. */
  readonly word: string;
}

/**
 * One attempt at one upstream: undici's handler. It is the older form of that interface, which undici marks as outgoing
 * but hands the headers over as they came; the newer one takes them apart for each reply first.
 */
export class UpstreamCall implements Dispatcher.DispatchHandler {
  readonly upstream: Upstream;
  readonly #listener: CallListener;
  readonly #startedAt = performance.now();
  #abort: ((error?: Error) => void) | null = null;
  #resume: (() => void) | null = null;
  #over = false;
  #settled = false;

  constructor(upstream: Upstream, listener: CallListener) {
    this.upstream = upstream;
    this.#listener = listener;
  }

  start(options: Dispatcher.DispatchOptions): void {
    this.upstream.health.started(performance.now());
    this.upstream.dispatch(options, this);
  }

  /** Ends the call without telling the listener; the connection is closed where the request was sent. */
  cancel(verdict: 'failed' | 'abandoned' | 'over'): void {
    if (this.#over) return;
    this.#finish(verdict);
    this.#abort?.();
  }

  /** True once a byte of the request may have reached the upstream. */
  get sent(): boolean {
    return this.#abort !== null;
  }

  resume(): void {
    this.#resume?.();
  }

  onConnect(abort: (error?: Error) => void): void {
    // Thrown, not aborted: the connection has not been used and may serve another. Written once, never again.
    if (this.#over || this.#abort !== null) throw new Error('The call is over.');
    this.#abort = abort;
    this.#listener.sent();
  }

  onHeaders(status: number, rawHeaders: Buffer[], resume: () => void): boolean {
    if (status < 200 || this.#over) return true;
    this.#resume = resume;
    this.#settle(status === 502 || status === 503 || status === 504 ? 'failed' : 'succeeded');
    this.#listener.head(status, rawHeaders);
    return true;
  }

  onData(chunk: Buffer): boolean {
    return this.#over || this.#listener.data(chunk);
  }

  onComplete(): void {
    if (this.#over) return;
    this.#over = true;
    this.#listener.end();
  }

  onError(error: Error): void {
    if (this.#over) return;
    const word = wordOf(error);
    // What undici itself will not send says nothing about the upstream.
    this.#finish(word === UNSENDABLE ? 'abandoned' : 'failed');
    this.#listener.failed({ sent: this.sent, word });
  }

  #settle(verdict: 'succeeded' | 'failed' | 'abandoned'): void {
    if (this.#settled) return;
    this.#settled = true;
    const { health } = this.upstream;
    if (verdict === 'succeeded') health.succeeded(performance.now() - this.#startedAt);
    else if (verdict === 'failed') health.failed(performance.now());
    else health.abandoned();
  }

  #finish(verdict: 'failed' | 'abandoned' | 'over'): void {
    this.#over = true;
    this.#settle(verdict === 'over' ? 'abandoned' : verdict);
  }
}

/** The word for a request with a header or target that cannot be written. */
export const UNSENDABLE = 'UND_ERR_INVALID_ARG';

function wordOf(error: Error): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
