import type { BodyStream } from './body-reader.ts';
import { UNSENDABLE } from './failure-words.ts';
import type { Upstream } from './upstream.ts';

/** Who waits for a reply of an upstream. */
export interface CallListener {
  /** The request is about to be written to a connection. */
  sent(): void;
  /** @param fields - names and values in turn, none of them able to break a line */
  head(status: number, fields: readonly string[]): void;
  /** False to be given no more until the call is resumed. */
  data(chunk: Buffer): boolean;
  /** True while it may still refer to a chunk that it was given. */
  readonly holding: boolean;
  /** What had come of the reply so far has all been handed over, and more may take its time. */
  pausing(): void;
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

/** What an upstream is asked. */
export interface CallRequest {
  readonly path: string;
  readonly method: string;
  /** Names and values in turn; without the host and the framing. */
  readonly headers: readonly string[];
  readonly body: Buffer | BodyStream | null;
  /** Of a stream, where it is known. */
  readonly contentLength: number | null;
}

/** One attempt at one upstream, and what it says about the upstream's health. */
export abstract class UpstreamCall {
  readonly upstream: Upstream;
  protected readonly listener: CallListener;
  readonly #startedAt = performance.now();
  #over = false;
  #settled = false;

  constructor(upstream: Upstream, listener: CallListener) {
    this.upstream = upstream;
    this.listener = listener;
    upstream.health.started(this.#startedAt);
  }

  /** True once a byte of the request may have reached the upstream. */
  abstract get sent(): boolean;
  abstract start(request: CallRequest): void;
  abstract resume(): void;
  /** Lets go of the connection; closes it where the request was sent. */
  protected abstract abort(): void;

  /** True while somebody may still refer to a chunk of the reply. */
  get holding(): boolean {
    return this.listener.holding;
  }

  /** True once nobody waits for anything of it. */
  get over(): boolean {
    return this.#over;
  }

  /** Ends the call without telling the listener. */
  cancel(verdict: 'failed' | 'abandoned' | 'over'): void {
    if (this.#over) return;
    this.#finish(verdict);
    this.abort();
  }

  protected begin(status: number, fields: readonly string[]): void {
    this.#settle(status === 502 || status === 503 || status === 504 ? 'failed' : 'succeeded');
    this.listener.head(status, fields);
  }

  protected complete(): void {
    if (this.#over) return;
    this.#over = true;
    this.listener.end();
  }

  protected fail(word: string): void {
    if (this.#over) return;
    // What could not be sent says nothing about the upstream.
    this.#finish(word === UNSENDABLE ? 'abandoned' : 'failed');
    this.listener.failed({ sent: this.sent, word });
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
