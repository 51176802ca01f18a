import { blockNeeded, DEFAULT_TIMEOUTS, isRead, isRefusal, refuse } from '../../core/index.ts';
import type { AdmissionVerdict, AppView, JsonRpcRequest, Logger, Refusal } from '../../core/index.ts';
import type { BufferBudget } from './buffer-budget.ts';
import { CONNECT_TIMEOUT, INVALID_REQUEST } from './failure-reasons.ts';
import { callsOf, logRefusal, recordExchange, recordSent } from './exchange-report.ts';
import type { Counters } from './exchange-report.ts';
import type { ClientRequestHandler, GatewayClient } from './gateway-client.ts';
import type { LiveRoute } from './live-route.ts';
import { guardMethods } from './guard-methods.ts';
import { readRpcBody } from './json-rpc-body.ts';
import type { RequestAuthorizer } from './request-authorizer.ts';
import type { RequestBodyStream } from './request-body-stream.ts';
import type { RequestContext } from './request-context.ts';
import { upstreamHeaders } from './request-head-cache.ts';
import { ResponseWriter } from './response-writer.ts';
import type { Expirable, TimeoutQueue } from './timeout-queue.ts';
import { UpstreamAttempts } from './upstream-attempts.ts';
import { SharedResponse } from './reads/shared-response.ts';
import type { ShareableRead, SharedRead, SharedReadHandler, SharedReads } from './reads/shared-reads.ts';
import type { PendingResponse, UpstreamFailure, UpstreamResponseHandler } from './upstream-request.ts';
import type { Upstream } from './upstream.ts';

export interface HttpExchangeDeps extends Counters {
  readonly authorizer: RequestAuthorizer;
  readonly timeoutQueue: TimeoutQueue;
  readonly logger: Logger;
  readonly budget: BufferBudget;
  readonly sharedReads: SharedReads;
}

/** Bodies up to this size are sent in one write; larger ones are streamed. */
const KEEP_BYTES = 64 * 1024;
/** nginx's status for a client that closed its connection. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * One HTTP request through the gateway, from its head to the last byte of its response.
 *
 * The client's side calls `onRequest…`, `onClientAborted` and `onDrain` ({@link ClientRequestHandler}); the upstream's
 * side calls `onUpstreamConnect` and `onResponse…` ({@link UpstreamResponseHandler}); the timeout queue calls `onTimeout`.
 */
export class HttpExchange implements ClientRequestHandler, UpstreamResponseHandler, SharedReadHandler, Expirable {
  expiresAt = 0;
  readonly #deps: HttpExchangeDeps;
  readonly #client: GatewayClient;
  readonly #context: RequestContext;
  #body: Buffer | RequestBodyStream | null = null;
  readonly #attempts = new UpstreamAttempts();
  #request: PendingResponse | null = null;
  /** Set for a read that may get the answer of an equal one, or give its own. */
  #read: ShareableRead | null = null;
  /** Set while equal reads may wait for the answer to this one. */
  #lead: SharedRead | null = null;
  /** True once the request counts towards the App's concurrency. */
  #entered = false;
  #over = false;
  readonly #response: ResponseWriter;
  #bytesIn = 0;
  /** Bytes taken from the budget. */
  #keptBytes = 0;

  constructor(deps: HttpExchangeDeps, client: GatewayClient, context: RequestContext) {
    this.#deps = deps;
    this.#client = client;
    this.#context = context;
    this.#response = new ResponseWriter(client, context);
  }

  start(): void {
    const preflight = this.#deps.authorizer.preflight(this.#context);
    if (preflight !== null) {
      this.#answerPreflight(preflight);
      return;
    }
    const refusal = this.#deps.authorizer.check(this.#context);
    if (refusal !== null) {
      this.#refuse(refusal);
      return;
    }
    this.#context.use?.enter();
    this.#entered = true;
    this.#client.setHandler(this);
    this.#readBody(this.#context.live as LiveRoute);
  }

  #answerPreflight(headers: readonly string[]): void {
    this.#finish(204);
    this.#client.respond(204, [...headers, 'X-Trace-Id', this.#context.traceId], [], 0, DEFAULT_TIMEOUTS.idleMs);
  }

  /** After an error of the gateway's own: answers 503 where nothing was answered yet, else closes the connection. */
  abort(error: unknown): void {
    const { logger } = this.#deps;
    const trace_id = this.#context.traceId;
    logger.error('a gateway request failed', { error, trace_id });
    try {
      this.#request?.cancel();
      if (this.#over) this.#client.destroy();
      else this.#refuse(refuse('upstream_unavailable', { status: 503 }));
    } catch (another) {
      logger.error('a gateway request failed', { error: another, trace_id });
      this.#client.destroy();
    }
  }

  // ---- the request's body

  #readBody({ route }: LiveRoute): void {
    const { contentLength, chunked, encoded, expectsContinue } = this.#context.head ?? NO_BODY;
    const rpc = route.protocol === 'jsonrpc';
    if ((contentLength ?? 0) > route.maxBodyBytes) {
      this.onRequestTooLarge();
      return;
    }
    if (rpc && encoded) {
      this.#refuse(refuse('bad_request', { message: 'The body must not be compressed.', rpcCode: -32700 }));
      return;
    }
    if (!chunked && (contentLength ?? 0) === 0) {
      this.onRequestEnd(EMPTY);
      return;
    }
    this.#expireIn(route.timeouts.idleMs);
    this.#deps.timeoutQueue.add(this);
    if (expectsContinue) this.#client.writeContinue();
    // A body that does not fit is streamed from its first byte; JSON-RPC is checked as a whole before any of it is sent.
    const keepBytes = rpc ? route.maxBodyBytes : (contentLength ?? 0) > KEEP_BYTES ? 0 : KEEP_BYTES;
    this.#client.readBody({ keepBytes, maxBytes: route.maxBodyBytes });
  }

  onRequestData(bytes: number): boolean {
    this.#bytesIn += bytes;
    const awaitingResponse = this.#request !== null && this.#response.status === 0;
    this.#expireIn(awaitingResponse ? this.#timeouts.firstByteMs : this.#timeouts.idleMs);
    if (this.#body !== null || this.#over) return true;
    if (this.#deps.budget.take(bytes)) {
      this.#keptBytes += bytes;
      return true;
    }
    this.#refuse(
      refuse('upstream_unavailable', { status: 503, message: 'The gateway is busy; try again.', retryAfterSeconds: 1 }),
    );
    return false;
  }

  onRequestTooLarge(): void {
    if (this.#over) return;
    this.#request?.cancel();
    this.#refuse(refuse('body_too_large'));
  }

  onRequestStream(stream: RequestBodyStream): void {
    // undici reports the stream's errors to its request; an 'error' event without a listener would end the process.
    stream.on('error', () => undefined);
    this.#body = stream;
    this.#attempts.idempotent = false;
    this.#send();
  }

  onRequestEnd(body: Buffer): void {
    if (this.#over) return;
    this.#body = body.length === 0 ? null : body;
    const { live, method } = this.#context;
    const refusal = live?.route.protocol === 'jsonrpc' ? this.#checkRpc(body, live) : null;
    if (live?.route.protocol === 'http') this.#attempts.idempotent = method !== 'POST';
    if (refusal === null) this.#send();
    else this.#refuse(refusal);
  }

  /** Checks exactly the bytes that are going to be sent. */
  #checkRpc(body: Buffer, { route, policy, upstreams, shares }: LiveRoute): Refusal | null {
    const request = readRpcBody(body, route.maxBatch);
    if (isRefusal(request)) return request;
    this.#context.methods = request.methods;
    this.#attempts.idempotent = request.methods.every(isRead);
    if (upstreams.length > 1) this.#attempts.block = blockOf(request);
    if (shares) this.#read = this.#deps.sharedReads.read(this.#context, request);
    return this.#judge(this.#deps.authorizer.admitRequests(this.#context, request, policy, 1));
  }

  /** Notes a verdict of admission; the refusal that follows from it. */
  #judge(verdict: AdmissionVerdict): Refusal | null {
    // The first refusal, real or in shadow mode, is the one that is recorded.
    if (this.#context.admission?.verdict !== 'would_refuse') this.#context.admission = verdict;
    return verdict.verdict === 'refused' ? verdict.refusal : null;
  }

  // ---- the upstream

  #send(): void {
    const { live, auth } = this.#context;
    if (live === null || auth === null || this.#over) return;
    const calls = callsOf(this.#context);
    // JSON-RPC has been admitted with its methods.
    const refusal =
      live.route.protocol === 'http' ? this.#judge(this.#deps.authorizer.admitUnits(this.#context, calls)) : null;
    if (refusal !== null) {
      this.#refuse(refusal);
      return;
    }
    const cached = this.#read === null ? null : this.#deps.sharedReads.cached(this.#read);
    if (cached !== null) {
      this.#markSent(auth.key.app, live);
      this.onSharedReply(cached);
      return;
    }
    const followed = this.#read === null ? null : this.#deps.sharedReads.follow(this.#read, this);
    const upstream = followed === null ? this.#attempts.first(live) : null;
    if (followed === null && upstream === null) {
      this.#refuse(refuse('upstream_unavailable', { status: 503, retryAfterSeconds: 1 }));
      return;
    }
    this.#markSent(auth.key.app, live);
    if (upstream !== null) {
      if (this.#read !== null) this.#lead = this.#deps.sharedReads.lead(this.#read);
      this.#ask(upstream, live);
      return;
    }
    this.#request = followed;
    this.#expireIn(live.route.timeouts.connectMs + live.route.timeouts.firstByteMs);
    this.#deps.timeoutQueue.add(this);
  }

  #markSent(app: AppView, live: LiveRoute): void {
    this.#context.sent = true;
    recordSent(this.#deps, app, live.metered, callsOf(this.#context));
  }

  onSharedReply(body: Buffer): void {
    if (this.#over) return;
    this.#response.begin(200, JSON_TYPE, null);
    this.#response.write(body);
    this.#finish(200);
    this.#response.end(this.#timeouts.idleMs);
  }

  onShareEnded(): void {
    const { live } = this.#context;
    if (this.#over || live === null) return;
    const upstream = this.#attempts.first(live);
    if (upstream === null) this.#refuse(refuse('upstream_unavailable', { status: 503, retryAfterSeconds: 1 }));
    else this.#ask(upstream, live);
  }

  #ask(upstream: Upstream, { route }: LiveRoute): void {
    const context = this.#context;
    const body = this.#body;
    const headers = upstreamHeaders(context, upstream.own);
    const request = upstream.newRequest(
      body,
      this.#lead === null ? this : new SharedResponse(this, this.#lead, upstream),
    );
    this.#request = request;
    this.#expireIn(route.timeouts.connectMs);
    this.#deps.timeoutQueue.add(this);
    const path = route.protocol === 'jsonrpc' ? upstream.rpcTarget(context.rest) : upstream.target(context.rest);
    request.start({ path, method: context.method, headers, body, contentLength: context.head?.contentLength ?? null });
  }

  onUpstreamConnect(): void {
    this.#expireIn(this.#timeouts.firstByteMs);
  }

  onResponseError({ requestSent, reason }: UpstreamFailure): void {
    if (this.#over) return;
    if (reason === INVALID_REQUEST) {
      this.#refuse(refuse('bad_request'));
      return;
    }
    this.#log('an upstream failed', reason);
    if (this.#response.flushed) {
      this.#destroy();
      return;
    }
    this.#response.discard();
    this.#retry(requestSent, refuse(reason === CONNECT_TIMEOUT ? 'upstream_timeout' : 'upstream_unavailable'));
  }

  /** Asks another upstream if the request cannot have been carried out, or may be repeated; otherwise refuses. */
  #retry(requestSent: boolean, refusal: Refusal): void {
    const { live } = this.#context;
    const bodyLeft = this.#body === null || Buffer.isBuffer(this.#body) || (!requestSent && !this.#body.destroyed);
    const next = live !== null && bodyLeft ? this.#attempts.another(live, requestSent) : null;
    if (next === null || live === null) this.#refuse(refusal);
    else this.#ask(next, live);
  }

  // ---- the response

  onResponseHeaders(status: number, fields: readonly string[]): void {
    const request = this.#request;
    const { live } = this.#context;
    const { upstream } = this.#attempts;
    if (request === null || upstream === null || live === null || this.#over) return;
    if ((status === 502 || status === 503 || status === 504) && this.#attempts.mayAskAnother(live)) {
      request.cancel();
      this.#retry(true, refuse('upstream_unavailable'));
      return;
    }
    if (status === 401 || status === 407) {
      // The credentials in the gateway's configuration are wrong; the client's were accepted.
      this.#log('an upstream refused the credentials it is configured with', String(status));
      request.cancel();
      this.#refuse(refuse('upstream_unavailable'));
      return;
    }
    this.#expireIn(this.#timeouts.idleMs);
    this.#response.begin(status, fields, upstream);
  }

  onResponseData(chunk: Buffer): boolean {
    if (this.#over) return true;
    this.#expireIn(this.#timeouts.idleMs);
    return this.#response.write(chunk);
  }

  get retainsChunks(): boolean {
    return this.#response.retainsChunks;
  }

  onResponseIdle(): void {
    if (!this.#over) this.#response.flush();
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#finish(this.#response.status);
    this.#response.end(this.#timeouts.idleMs);
  }

  onDrain(): void {
    if (this.#over) return;
    this.#expireIn(this.#timeouts.idleMs);
    this.#request?.resume();
  }

  // ---- ends

  onClientAborted(): void {
    if (this.#over) return;
    this.#request?.cancel();
    this.#finish(CLIENT_CLOSED_REQUEST);
  }

  onRequestTimeout(): void {
    if (this.#over) return;
    this.#request?.cancel();
    this.#refuse(refuse('bad_request', { status: 408, message: 'The request did not arrive in time.' }));
  }

  onTimeout(): void {
    if (this.#over) return;
    const request = this.#request;
    if (request === null || (!this.#response.flushed && this.#starved)) {
      // The client stalls: that says nothing about the upstream.
      request?.cancel();
      this.#refuse(refuse('bad_request', { status: 408, message: 'The body did not arrive in time.' }));
      return;
    }
    const { requestSent } = request;
    request.expire();
    this.#log('an upstream, or its client, was too slow', 'timeout');
    if (this.#response.flushed) this.#destroy();
    else if (requestSent) this.#refuse(refuse('upstream_timeout'));
    else this.#retry(false, refuse('upstream_timeout'));
  }

  /** Closes the client's connection, so that it does not take an incomplete response for a complete one. */
  #destroy(): void {
    this.#finish(this.#response.status);
    this.#client.destroy();
  }

  #refuse(refusal: Refusal): void {
    if (this.#over) return;
    if (this.#response.flushed) {
      this.#destroy();
      return;
    }
    this.#response.discard();
    if (this.#body !== null && !Buffer.isBuffer(this.#body)) this.#body.destroy();
    logRefusal(this.#deps.logger, this.#context, refusal);
    this.#finish(refusal.status);
    this.#client.refuse(refusal, this.#context);
  }

  #finish(status: number): void {
    this.#over = true;
    this.#lead?.end();
    // Equal reads that begin from now on must see what this one may have changed.
    if (this.#context.sent && !this.#attempts.idempotent) this.#deps.sharedReads.wrote();
    this.#deps.timeoutQueue.delete(this);
    this.#deps.budget.give(this.#keptBytes);
    if (this.#entered) {
      this.#context.use?.leave();
      this.#client.setHandler(null);
    }
    recordExchange(this.#deps, this.#context, status, this.#bytesIn, this.#response.bytes);
  }

  /** True while a streamed body waits for the client's next bytes. */
  get #starved(): boolean {
    return this.#body !== null && !Buffer.isBuffer(this.#body) && this.#body.starved;
  }

  get #timeouts(): LiveRoute['route']['timeouts'] {
    return (this.#context.live as LiveRoute).route.timeouts;
  }

  #expireIn(ms: number): void {
    this.expiresAt = performance.now() + ms;
  }

  #log(message: string, reason: string): void {
    this.#deps.logger.debug(message, {
      route: this.#context.live?.route.host,
      upstream: this.#attempts.upstream?.host,
      reason,
      trace_id: this.#context.traceId,
    });
  }
}

/** The newest of the blocks that the calls need. */
function blockOf({ methods, params }: JsonRpcRequest): number {
  return Math.max(...methods.map((method, index) => blockNeeded(method, params[index])));
}

const JSON_TYPE = ['Content-Type', 'application/json'];
const EMPTY = Buffer.alloc(0);
const NO_BODY = { contentLength: 0, chunked: false, encoded: false, expectsContinue: false };

guardMethods(HttpExchange, [
  'start',
  'onRequestData',
  'onRequestTooLarge',
  'onRequestStream',
  'onRequestEnd',
  'onUpstreamConnect',
  'onResponseError',
  'onResponseHeaders',
  'onResponseData',
  'onResponseIdle',
  'onResponseEnd',
  'onDrain',
  'onSharedReply',
  'onShareEnded',
  'onClientAborted',
  'onRequestTimeout',
  'onTimeout',
]);
