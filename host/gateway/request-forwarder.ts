import { Buffer } from 'node:buffer';
import { refuse } from '../../core/index.ts';
import type { Logger, Refusal } from '../../core/index.ts';
import { CONNECT_TIMEOUT, INVALID_REQUEST } from './failure-reasons.ts';
import { guardMethods } from './guard-methods.ts';
import type { Abortable } from './guard-methods.ts';
import type { GatewayMetrics } from './gateway-metrics.ts';
import type { LiveRoute } from './live-route.ts';
import type { RequestBodyStream } from './request-body-stream.ts';
import type { RequestContext } from './request-context.ts';
import { upstreamHeaders } from './request-head-cache.ts';
import { CoalescedResponse } from './reads/request-coalescing.ts';
import type {
  CoalescibleRead,
  CoalescedRequest,
  CoalescedReadHandler,
  RequestCoalescer,
} from './reads/request-coalescing.ts';
import { HedgedRequest } from './reads/hedged-request.ts';
import type { HedgeOutcome, HedgeOwner } from './reads/hedged-request.ts';
import { UpstreamAttempts } from './upstream-attempts.ts';
import type {
  OutgoingRequest,
  PendingResponse,
  UpstreamFailure,
  UpstreamRequest,
  UpstreamResponseHandler,
} from './upstream-request.ts';
import type { Upstream } from './upstream.ts';

export interface RequestForwarderDeps {
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
  readonly coalescer: RequestCoalescer;
}

/** The events that a {@link RequestForwarder} reports to `HttpExchange`. Exactly one of the last two comes last. */
export interface ForwardedResponseHandler
  extends Abortable, Omit<UpstreamResponseHandler, 'onResponseHeaders' | 'onResponseError'> {
  /** True once a byte of the response may have reached the client: then no other upstream may be tried. */
  readonly flushed: boolean;
  /** An answer exists, or was requested from a node. */
  onForwarded(): void;
  /** An answer is awaited for at most this time; anything that arrived from another upstream is discarded. */
  onWaiting(timeoutMs: number): void;
  /** @param upstream - the one that answers; `null` for the answer to an equal request */
  onResponseHeaders(status: number, fields: readonly string[], length: string | null, upstream: Upstream | null): void;
  /** There is no answer, or it was interrupted. */
  onUnanswered(refusal: Refusal): void;
}

/** Gets the answer to one request: from the cache, an equal request in flight, or one or more upstreams. */
export class RequestForwarder implements UpstreamResponseHandler, CoalescedReadHandler, HedgeOwner {
  /** Set for a read that may share its answer with equal ones. */
  read: CoalescibleRead | null = null;
  readonly attempts = new UpstreamAttempts();
  readonly #deps: RequestForwarderDeps;
  readonly #handler: ForwardedResponseHandler;
  readonly #context: RequestContext;
  #body: Buffer | RequestBodyStream | null = null;
  #request: PendingResponse | null = null;
  /** Set while equal reads may wait for the answer to this one. */
  #lead: CoalescedRequest | null = null;
  #over = false;

  constructor(deps: RequestForwarderDeps, handler: ForwardedResponseHandler, context: RequestContext) {
    this.#deps = deps;
    this.#handler = handler;
    this.#context = context;
  }

  /** True while an answer is awaited. */
  get waiting(): boolean {
    return this.#request !== null;
  }

  start(body: Buffer | RequestBodyStream | null, live: LiveRoute): void {
    this.#body = body;
    const { coalescer } = this.#deps;
    const cached = this.read === null ? null : coalescer.cached(this.read);
    if (cached !== null) {
      this.#handler.onForwarded();
      this.onCoalescedResponse(cached);
      return;
    }
    const followed = this.read === null ? null : coalescer.follow(this.read, this);
    if (followed !== null) {
      this.#handler.onForwarded();
      this.#request = followed;
      this.#handler.onWaiting(live.route.timeouts.connectMs + live.route.timeouts.firstByteMs);
      return;
    }
    const upstream = this.attempts.first(live);
    if (upstream === null) {
      this.#handler.onUnanswered(allDown());
      return;
    }
    this.#handler.onForwarded();
    if (this.read !== null) this.#lead = coalescer.lead(this.read);
    this.#ask(upstream, live);
  }

  cancel(): void {
    this.#request?.cancel();
  }

  resume(): void {
    this.#request?.resume();
  }

  expire(): void {
    const request = this.#request;
    if (request === null || this.#over) return;
    const { requestSent } = request;
    request.expire();
    this.#log('an upstream, or its client, was too slow', 'timeout');
    const refusal = refuse('upstream_timeout');
    if (requestSent || this.#handler.flushed) this.#handler.onUnanswered(refusal);
    else this.#retry(false, refusal);
  }

  close(): void {
    this.#over = true;
    this.#lead?.end();
    // Equal reads that begin from now on must see what this request may have changed.
    if (this.#context.sent && !this.attempts.idempotent) this.#deps.coalescer.wrote();
  }

  abort(error: unknown): void {
    this.#handler.abort(error);
  }

  // ---- an equal request

  onCoalescedResponse(body: Buffer): void {
    if (this.#over) return;
    this.#handler.onResponseHeaders(200, JSON_TYPE, String(body.length), null);
    this.#handler.onResponseData(body);
    this.#handler.onResponseEnd();
  }

  onCoalescingEnded(): void {
    const { live } = this.#context;
    if (this.#over || live === null) return;
    const upstream = this.attempts.first(live);
    if (upstream === null) this.#handler.onUnanswered(allDown());
    else this.#ask(upstream, live);
  }

  // ---- an upstream

  #ask(upstream: Upstream, { route: { reads, timeouts }, hedges }: LiveRoute): void {
    if (hedges === null || reads.hedgeAfterMs === null || !this.attempts.mayHedge) {
      const request = this.newRequest(upstream, this.handlerOf(upstream));
      this.#wait(request, timeouts.connectMs);
      request.start(this.outgoing(upstream));
      return;
    }
    hedges.read();
    const request = new HedgedRequest(this, upstream, reads.hedgeAfterMs);
    this.#wait(request, timeouts.connectMs);
    request.start();
  }

  #wait(request: PendingResponse, timeoutMs: number): void {
    this.#request = request;
    this.#handler.onWaiting(timeoutMs);
  }

  newRequest(upstream: Upstream, handler: UpstreamResponseHandler): UpstreamRequest {
    return upstream.newRequest(this.#body, handler);
  }

  outgoing(upstream: Upstream): OutgoingRequest {
    const context = this.#context;
    const { method, head, rest, live } = context;
    const path = live?.route.protocol === 'jsonrpc' ? upstream.rpcTarget(rest) : upstream.target(rest);
    const headers = upstreamHeaders(context, upstream.own);
    return { path, method, headers, body: this.#body, contentLength: head?.contentLength ?? null };
  }

  handlerOf(upstream: Upstream): UpstreamResponseHandler {
    return this.#lead === null ? this : new CoalescedResponse(this, this.#lead, upstream);
  }

  second(): Upstream | null {
    const { live } = this.#context;
    if (live === null || live.hedges === null || this.#over) return null;
    const upstream = this.attempts.second(live);
    const refused = upstream === null ? 'no_upstream' : live.hedges.take() ? null : 'over_budget';
    if (refused === null && upstream !== null) {
      this.attempts.hedged(upstream);
      return upstream;
    }
    if (refused !== null) this.#deps.metrics.hedge(live.route.host, refused);
    return null;
  }

  onOneFailed(upstream: Upstream, reason: string): void {
    this.#log('an upstream failed', reason, upstream);
  }

  onHedgeEnded(upstream: Upstream, failed: Upstream | null, outcome: HedgeOutcome): void {
    this.attempts.heard(upstream, failed);
    this.#deps.metrics.hedge(this.#context.live?.route.host ?? 'unknown', outcome);
  }

  onUpstreamConnect(): void {
    this.#handler.onUpstreamConnect();
  }

  onResponseError({ requestSent, reason }: UpstreamFailure): void {
    if (this.#over) return;
    if (reason === INVALID_REQUEST) {
      this.#handler.onUnanswered(refuse('bad_request'));
      return;
    }
    this.#log('an upstream failed', reason);
    this.#retry(requestSent, refuse(reason === CONNECT_TIMEOUT ? 'upstream_timeout' : 'upstream_unavailable'));
  }

  /** Tries another upstream if the request cannot have been executed or may be repeated; otherwise gives up. */
  #retry(requestSent: boolean, refusal: Refusal): void {
    const { live } = this.#context;
    const bodyLeft = this.#body === null || Buffer.isBuffer(this.#body) || (!requestSent && !this.#body.destroyed);
    const may = live !== null && bodyLeft && !this.#handler.flushed;
    const next = may ? this.attempts.another(live, requestSent) : null;
    if (next === null || live === null) this.#handler.onUnanswered(refusal);
    else this.#ask(next, live);
  }

  onResponseHeaders(status: number, fields: readonly string[], length: string | null): void {
    const request = this.#request;
    const { live } = this.#context;
    const { upstream } = this.attempts;
    if (request === null || upstream === null || live === null || this.#over) return;
    if ((status === 502 || status === 503 || status === 504) && this.attempts.mayAskAnother(live)) {
      request.cancel();
      this.#retry(true, refuse('upstream_unavailable'));
      return;
    }
    if (status === 401 || status === 407) {
      // The credentials in the gateway's configuration are wrong; the client's were accepted.
      this.#log('an upstream refused the credentials it is configured with', String(status));
      request.cancel();
      this.#handler.onUnanswered(refuse('upstream_unavailable'));
      return;
    }
    this.#handler.onResponseHeaders(status, fields, length, upstream);
  }

  onResponseData(chunk: Buffer): boolean {
    return this.#handler.onResponseData(chunk);
  }

  get retainsChunks(): boolean {
    return this.#handler.retainsChunks;
  }

  onResponseIdle(): void {
    this.#handler.onResponseIdle();
  }

  onResponseEnd(): void {
    this.#handler.onResponseEnd();
  }

  #log(message: string, reason: string, upstream = this.attempts.upstream): void {
    this.#deps.logger.debug(message, {
      route: this.#context.live?.route.host,
      upstream: upstream?.host,
      reason,
      trace_id: this.#context.traceId,
    });
  }
}

const JSON_TYPE = ['Content-Type', 'application/json'];

const allDown = (): Refusal => refuse('upstream_unavailable', { status: 503, retryAfterSeconds: 1 });

guardMethods(RequestForwarder, [
  'onCoalescedResponse',
  'onCoalescingEnded',
  'onUpstreamConnect',
  'onResponseError',
  'onResponseHeaders',
  'onResponseData',
  'onResponseIdle',
  'onResponseEnd',
]);
