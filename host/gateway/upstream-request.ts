import type { LookupFunction } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { UpstreamHealth } from '../../core/index.ts';
import { CONNECT_TIMEOUT, INVALID_REQUEST } from './failure-reasons.ts';
import type { RequestBodyStream } from './request-body-stream.ts';
import type { ClassTimes, UpstreamOutcome } from './upstream-times.ts';

/** The maximum number of connections to one upstream; further requests wait for one, at most `connectMs`. */
export const MAX_CONNECTIONS = 1024;

export interface PendingResponse {
  /** True once a byte of the request may have reached the upstream. */
  readonly requestSent: boolean;
  /** Ends the request without a further call of the handler; the upstream's health stays unchanged. */
  cancel(): void;
  /** Ends a request that took too long, without a further call of the handler. */
  expire(): void;
  /** Continues a paused response. */
  resume(): void;
}

/** A request whose answer is judged by what it means. */
export interface Judgeable {
  /** `abandoned` for an answer that says nothing about the upstream. The first judgement counts. */
  judged(outcome: 'succeeded' | 'erred' | 'abandoned'): void;
}

/** The events that an {@link UpstreamRequest} reports. Exactly one of the last two comes last. */
export interface UpstreamResponseHandler {
  /** A connection was assigned and the request is about to be written. */
  onUpstreamConnect(): void;
  /**
   * @param fields - names alternating with values, without `Content-Length`; none contains a line break
   * @param length - the value of `Content-Length`; `null` without one
   */
  /** @returns true if the handler judges the answer later, by the request's {@link Judgeable.judged} */
  onResponseHeaders(
    status: number,
    fields: readonly string[],
    length: string | null,
    request: Judgeable,
  ): boolean | void;
  /** Return false to pause the response until `resume`. */
  onResponseData(chunk: Buffer): boolean;
  /** All bytes received so far were passed on; the next ones may take a while. */
  onResponseIdle(): void;
  /** True while the handler may still reference a chunk that it received. */
  readonly retainsChunks: boolean;
  onResponseEnd(): void;
  onResponseError(failure: UpstreamFailure): void;
}

export interface UpstreamFailure {
  /** False only if no byte of the request can have reached the upstream. */
  readonly requestSent: boolean;
  /** An error code such as `ECONNREFUSED`; never a message, which could repeat the request. */
  readonly reason: string;
}

export interface OutgoingRequest {
  readonly path: string;
  readonly method: string;
  /** Names alternating with values, without `host` and the framing. */
  readonly headers: readonly string[];
  readonly body: Buffer | RequestBodyStream | null;
  /** Length of a streamed body, if known. */
  readonly contentLength: number | null;
}

/** Opens connections to one plain-text upstream without undici. The fast path implements it. */
export type OpenRawTransport = (url: URL, connectMs: number, lookup: LookupFunction) => RawTransport;

/** What is sent over a connection, and gets its answer, without an {@link UpstreamRequest}. */
export interface WholeResponseHandler {
  /** The bytes to send. */
  readonly outgoing: string;
  /**
   * A whole response arrived at once.
   *
   * @param fields - names alternating with values, without `Content-Length`
   * @param body - one character for each byte
   * @returns false to get it as a handler of {@link SentConnection.handOver} instead
   */
  onWholeResponse(status: number, fields: readonly string[], length: string, body: string): boolean;
  /** The whole response was accepted and the connection is free. */
  onWholeResponseEnd(): void;
  /** Anything else happened: hands the request over. */
  onOther(): void;
}

/** A connection of a {@link RawTransport} that is taken by one request. */
export interface SentConnection {
  sendWhole(handler: WholeResponseHandler): void;
  giveBack(): void;
  /** Makes a request that reports to this handler what comes from now on. */
  handOver(health: UpstreamHealth, handler: UpstreamResponseHandler, startedAt: number): UpstreamRequest;
}

/** The connections of an {@link OpenRawTransport} to its upstream. */
export interface RawTransport {
  readonly size: number;
  newRequest(health: UpstreamHealth, handler: UpstreamResponseHandler): UpstreamRequest;
  /** The value of `host` in its requests. */
  readonly hostHeader: string;
  /**
   * An unused connection that can take a request now; `null` for none. It is sent on, or given back.
   *
   * @param now - by `performance.now()`, in milliseconds
   */
  takeIdle(now: number): SentConnection | null;
  closeWhenIdle(): void;
  close(): void;
}

type Outcome = 'succeeded' | 'erred' | 'failed' | 'outpaced' | 'abandoned';

/** What a judgement means in the metrics: an answer that blames the call, or lacks something, is a refusal. */
const JUDGED = { succeeded: 'succeeded', erred: 'fault', abandoned: 'refused' } as const satisfies Readonly<
  Record<Parameters<Judgeable['judged']>[0], UpstreamOutcome>
>;

/** One attempt at one upstream; it also records the outcome in the upstream's health and in the metrics. */
export abstract class UpstreamRequest implements PendingResponse, Judgeable {
  protected readonly handler: UpstreamResponseHandler;
  readonly #health: UpstreamHealth;
  readonly #startedAt: number;
  /** Where its duration is recorded; `null` for nowhere. */
  times: ClassTimes | null = null;
  #over = false;
  #recorded = false;
  /** How long it took until the answer began; `null` before. */
  #tookMs: number | null = null;

  /** @param startedAt - of a request that was sent already, by `performance.now()`, in milliseconds */
  constructor(health: UpstreamHealth, handler: UpstreamResponseHandler, startedAt: number | null = null) {
    this.#health = health;
    this.handler = handler;
    this.#startedAt = startedAt ?? performance.now();
    if (startedAt === null) health.started(this.#startedAt);
  }

  abstract get requestSent(): boolean;
  /** True while it waits for a connection because the maximum number is in use by other requests. */
  protected abstract get queued(): boolean;
  abstract start(request: OutgoingRequest): void;
  abstract resume(): void;
  /** Releases the connection; closes it if the request was sent. */
  protected abstract abort(): void;

  /** True while a chunk of the response may still be referenced. */
  get retainsChunks(): boolean {
    return this.handler.retainsChunks;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Ends the request without a further call of the handler; the upstream's health stays unchanged. */
  cancel(): void {
    this.#end('abandoned', 'cancelled');
  }

  expire(): void {
    this.#end(this.requestSent ? 'erred' : this.queued ? 'abandoned' : 'failed', 'timeout');
  }

  /** Ends a request that another upstream has answered first, without a further call of the handler. */
  outpace(): void {
    this.#end('outpaced', 'cancelled');
  }

  #end(outcome: Exclude<Outcome, 'succeeded'>, counted: UpstreamOutcome): void {
    if (this.#over) return;
    this.#over = true;
    this.#record(outcome, counted);
    this.abort();
  }

  protected begin(status: number, fields: readonly string[], length: string | null): void {
    this.#tookMs = performance.now() - this.#startedAt;
    if (this.handler.onResponseHeaders(status, fields, length, this) !== true) this.#record('succeeded', 'succeeded');
  }

  judged(outcome: 'succeeded' | 'erred' | 'abandoned'): void {
    this.#record(outcome, JUDGED[outcome]);
  }

  protected complete(): void {
    if (this.#over) return;
    this.#over = true;
    this.handler.onResponseEnd();
  }

  protected fail(reason: string): void {
    if (this.#over) return;
    this.#over = true;
    // A sent request may fail because of its content; one App must not take the upstream out of service for others.
    if (reason === INVALID_REQUEST) this.#record('abandoned', 'cancelled');
    else this.#record(this.requestSent ? 'erred' : 'failed', reason === CONNECT_TIMEOUT ? 'timeout' : 'failed');
    this.handler.onResponseError({ requestSent: this.requestSent, reason });
  }

  #record(outcome: Outcome, counted: UpstreamOutcome): void {
    if (this.#recorded) return;
    this.#recorded = true;
    const now = performance.now();
    const tookMs = this.#tookMs ?? now - this.#startedAt;
    this.times?.record(counted, tookMs / 1000);
    if (outcome === 'succeeded') this.#health.succeeded(tookMs, now);
    else if (outcome === 'erred') this.#health.erred(tookMs, now);
    else if (outcome === 'failed') this.#health.failed(now);
    else if (outcome === 'outpaced') this.#health.outpaced(tookMs, now);
    else this.#health.abandoned();
  }
}
