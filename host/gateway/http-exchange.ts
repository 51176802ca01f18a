import { Buffer } from 'node:buffer';
import {
  blockNeeded,
  DEFAULT_TIMEOUTS,
  isRead,
  isRefusal,
  rangeOf,
  refuse,
  seedOf,
  SPLIT_METHOD,
} from '../../core/index.ts';
import type { AdmissionVerdict, JsonRpcRequest, Need, Refusal } from '../../core/index.ts';
import type { BufferBudget } from './buffer-budget.ts';
import { callsOf, logRefusal, recordExchange, recordSent } from './exchange-report.ts';
import type { Counters } from './exchange-report.ts';
import type { ClientRequestHandler, GatewayClient } from './gateway-client.ts';
import { ANYTHING } from './live-route.ts';
import type { LiveRoute } from './live-route.ts';
import { guardMethods } from './guard-methods.ts';
import { HeaderList } from './header-list.ts';
import { readRpcBody } from './json-rpc-body.ts';
import type { RequestAuthorizer } from './request-authorizer.ts';
import type { RequestBodyStream } from './request-body-stream.ts';
import type { RequestContext } from './request-context.ts';
import { logsParts, SplitLogs } from './reads/split-logs.ts';
import { RequestForwarder } from './request-forwarder.ts';
import type { ForwardedResponseHandler, RequestForwarderDeps } from './request-forwarder.ts';
import { ResponseWriter } from './response-writer.ts';
import { isSellable } from './sale/gate-sale.ts';
import type { SaleOutcome, Seller } from './sale/gate-sale.ts';
import { PaidClient } from './sale/paid-client.ts';
import type { Expirable, TimeoutQueue } from './timeout-queue.ts';
import type { UpstreamRequest, UpstreamResponseHandler } from './upstream-request.ts';
import type { Upstream } from './upstream.ts';

export interface HttpExchangeDeps extends Counters, RequestForwarderDeps {
  readonly authorizer: RequestAuthorizer;
  readonly timeoutQueue: TimeoutQueue;
  readonly budget: BufferBudget;
  /** Sells plans with refusals; `null` when nothing is sold. */
  readonly sale: Seller | null;
}

/** A JSON-RPC call that was sent before its exchange was made. */
export interface SentCall {
  readonly body: Buffer;
  readonly upstream: Upstream;
  /** When its answer must have begun. */
  readonly expiresAt: number;
  /** Reports to this handler from now on. */
  readonly handOver: (handler: UpstreamResponseHandler) => UpstreamRequest;
}

/** Bodies up to this size are sent in one write; larger ones are streamed. */
const KEEP_BYTES = 64 * 1024;
/** nginx's status for a client that closed its connection. */
const CLIENT_CLOSED_REQUEST = 499;
/** The longest that the first request of an App waits for the database. */
const LEARN_MS = 5_000;
const NOT_LEARNED = {
  status: 503,
  message: 'The App’s remaining units could not be read in time; try again.',
  retryAfterSeconds: 1,
} as const;

/**
 * One HTTP request through the gateway, from its head to the last byte of its response.
 *
 * The client's side calls `onRequest…`, `onClientAborted` and `onDrain` ({@link ClientRequestHandler}); the upstreams'
 * side calls the methods of {@link ForwardedResponseHandler}; the timeout queue calls `onTimeout`.
 */
export class HttpExchange implements ClientRequestHandler, ForwardedResponseHandler, Expirable {
  expiresAt = 0;
  queuePlace = -1;
  readonly #deps: HttpExchangeDeps;
  readonly #client: GatewayClient;
  readonly #context: RequestContext;
  #body: Buffer | RequestBodyStream | null = null;
  /** True once its whole body was read. */
  #bodyRead = false;
  readonly #forwarder: RequestForwarder;
  /** True once the request counts towards the App's concurrency. */
  #entered = false;
  #over = false;
  /** True while it waits for {@link RequestAuthorizer.learn}. */
  #learning = false;
  readonly #response: ResponseWriter;
  #bytesIn = 0;
  /** Bytes taken from the budget. */
  #keptBytes = 0;

  constructor(deps: HttpExchangeDeps, client: GatewayClient, context: RequestContext) {
    this.#deps = deps;
    this.#client = client;
    this.#context = context;
    this.#forwarder = new RequestForwarder(deps, this, context);
    this.#response = new ResponseWriter(client, context);
  }

  /** Goes on with a request that was admitted and sent to an upstream. */
  static takeOver(
    deps: HttpExchangeDeps,
    client: GatewayClient,
    context: RequestContext,
    sent: SentCall,
  ): HttpExchange {
    const exchange = new HttpExchange(deps, client, context);
    exchange.#goOnWith(sent);
    return exchange;
  }

  #goOnWith({ body, upstream, expiresAt, handOver }: SentCall): void {
    this.#body = body;
    this.#bodyRead = true;
    this.#bytesIn = body.length;
    this.#keptBytes = body.length;
    this.#entered = true;
    this.expiresAt = expiresAt;
    this.#deps.timeoutQueue.add(this);
    this.#client.setHandler(this);
    this.#forwarder.takeOver(body, upstream, handOver);
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
    const learned = this.#deps.authorizer.learn(this.#context);
    if (learned === null) this.#readBody(this.#context.live as LiveRoute);
    else this.#waitFor(learned);
  }

  /** Waits for the App's remaining units, which this instance reads at the App's first request. */
  #waitFor(learned: Promise<void>): void {
    this.#learning = true;
    this.#expireIn(LEARN_MS);
    this.#deps.timeoutQueue.add(this);
    learned
      .then(() => {
        this.#learning = false;
        this.#deps.timeoutQueue.delete(this);
        if (!this.#over) this.#readBody(this.#context.live as LiveRoute);
      })
      .catch((error: unknown) => this.abort(error));
  }

  #answerPreflight(headers: readonly string[]): void {
    this.#finish(204);
    const own = [...headers, 'X-Trace-Id', this.#context.traceId];
    this.#client.respond(204, { common: HeaderList.NONE, own }, [], 0, DEFAULT_TIMEOUTS.idleMs);
  }

  /** Answers 503 after an internal error if nothing was answered yet, else closes the connection. */
  abort(error: unknown): void {
    const { logger } = this.#deps;
    const trace_id = this.#context.traceId;
    logger.error('a gateway request failed', { error, trace_id });
    try {
      this.#forwarder.cancel();
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
    const awaitingResponse = this.#forwarder.waiting && this.#response.status === 0;
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
    this.#forwarder.cancel();
    this.#refuse(refuse('body_too_large'));
  }

  onRequestStream(stream: RequestBodyStream): void {
    // undici reports the stream's errors to its request; an 'error' event without a listener would end the process.
    stream.on('error', () => undefined);
    this.#body = stream;
    this.#forwarder.attempts.idempotent = false;
    this.#send();
  }

  onRequestEnd(body: Buffer): void {
    if (this.#over) return;
    this.#body = body.length === 0 ? null : body;
    this.#bodyRead = true;
    const { live, method } = this.#context;
    const refusal = live?.route.protocol === 'jsonrpc' ? this.#checkRpc(body, live) : null;
    if (live?.route.protocol === 'http') this.#forwarder.attempts.idempotent = method !== 'POST';
    if (refusal === null) this.#send();
    else this.#refuse(refusal);
  }

  /** Checks exactly the bytes that will be sent. */
  #checkRpc(body: Buffer, live: LiveRoute): Refusal | null {
    const { route, policy, upstreams, monotonic, reusesAnswers } = live;
    const request = readRpcBody(body, route.maxBatch);
    if (isRefusal(request)) return request;
    const parts = logsParts(live, request);
    const calls = parts === null ? request.methods : parts.map(() => SPLIT_METHOD);
    this.#context.methods = calls;
    this.#forwarder.attempts.idempotent = request.methods.every(isRead);
    // Of a single upstream it is of use only how many blocks' logs it reads.
    const learns = upstreams.length > 1 || route.reads.logs !== null;
    this.#forwarder.attempts.need = learns ? needOf(request) : { ...ANYTHING, methods: request.methods };
    this.#forwarder.attempts.spread = monotonic ? seedOf(this.#context.auth?.key.app.id ?? '') : null;
    this.#forwarder.batch = request.batch;
    const refusal = this.#judge(this.#deps.authorizer.admitRequests(this.#context, request, policy, 1, calls));
    if (refusal === null && parts !== null)
      this.#forwarder.joined = new SplitLogs(this.#deps, this.#context, live, request, parts);
    if (refusal !== null || parts !== null || !reusesAnswers) return refusal;
    this.#forwarder.read = this.#deps.coalescer.read(this.#context, request);
    this.#forwarder.cachedBatch = this.#deps.coalescer.batch(this.#context, request);
    return null;
  }

  /** Records an admission verdict and returns the refusal that follows from it. */
  #judge(verdict: AdmissionVerdict): Refusal | null {
    // The first refusal, real or in shadow mode, is the recorded one.
    if (this.#context.admission?.verdict !== 'would_refuse') this.#context.admission = verdict;
    return verdict.verdict === 'refused' ? verdict.refusal : null;
  }

  // ---- the upstream

  #send(): void {
    const { live, auth } = this.#context;
    if (live === null || auth === null || this.#over) return;
    // JSON-RPC has been admitted with its methods.
    const refusal =
      live.route.protocol === 'http'
        ? this.#judge(this.#deps.authorizer.admitUnits(this.#context, callsOf(this.#context)))
        : null;
    if (refusal === null) this.#forwarder.start(this.#body, live);
    else this.#refuse(refusal);
  }

  onForwarded(): void {
    const { live, auth } = this.#context;
    if (live === null || auth === null) return;
    this.#context.sent = true;
    recordSent(this.#deps, auth.key.app, live.metered, callsOf(this.#context));
  }

  onWaiting(timeoutMs: number): void {
    this.#response.discard();
    this.#expireIn(timeoutMs);
    this.#deps.timeoutQueue.add(this);
  }

  onResponseProgress(): void {
    this.#expireIn(this.#timeouts.idleMs);
  }

  onUpstreamConnect(): void {
    this.#expireIn(this.#timeouts.firstByteMs);
  }

  onUnanswered(refusal: Refusal): void {
    this.#refuse(refusal);
  }

  // ---- the response

  onResponseHeaders(status: number, fields: readonly string[], length: string | null, upstream: Upstream | null): void {
    if (this.#over) return;
    this.#expireIn(this.#timeouts.idleMs);
    this.#response.begin(status, fields, length, upstream);
  }

  onResponseData(chunk: Buffer): boolean {
    if (this.#over) return true;
    this.#expireIn(this.#timeouts.idleMs);
    return this.#response.write(chunk);
  }

  get flushed(): boolean {
    return this.#response.flushed;
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
    this.#forwarder.resume();
  }

  // ---- ends

  onClientAborted(): void {
    if (this.#over) return;
    this.#forwarder.cancel();
    this.#finish(CLIENT_CLOSED_REQUEST);
  }

  onRequestTimeout(): void {
    if (this.#over) return;
    this.#forwarder.cancel();
    this.#refuse(refuse('bad_request', { status: 408, message: 'The request did not arrive in time.' }));
  }

  onTimeout(): void {
    if (this.#over) return;
    if (this.#learning) {
      this.#refuse(refuse('upstream_unavailable', NOT_LEARNED));
      return;
    }
    if (this.#forwarder.waiting && (this.#response.flushed || !this.#starved)) {
      this.#forwarder.expire();
      return;
    }
    // A stalled client is no sign of the upstream's health.
    this.#forwarder.cancel();
    this.#refuse(refuse('bad_request', { status: 408, message: 'The body did not arrive in time.' }));
  }

  /** Closes the client's connection, so that it does not mistake an incomplete response for a complete one. */
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
    const { sale } = this.#deps;
    const sold = sale !== null && isSellable(this.#context, refusal) && (this.#body === null || this.#bodyRead);
    const offered = sold ? sale.offered(this.#context, refusal) : refusal;
    if (offered === null) this.#sell(sale as Seller, refusal);
    else this.#refuseFinally(offered);
  }

  /** Suspends the request while its payment is processed or an offer is made. */
  #sell(sale: Seller, refusal: Refusal): void {
    this.#deps.timeoutQueue.delete(this);
    this.#client.setHandler(this);
    this.#entered = true;
    sale
      .serve(this.#context, refusal)
      .then((outcome) => this.#goOn(outcome))
      .catch((error: unknown) => this.abort(error));
  }

  #goOn(outcome: SaleOutcome): void {
    if (this.#over) return;
    if (outcome.kind === 'refused') this.#refuseFinally(outcome.refusal);
    else this.#beginAgain(outcome);
  }

  /** Restarts the request as a new exchange, which repeats all checks. */
  #beginAgain({ headers, context }: Extract<SaleOutcome, { kind: 'paid' }>): void {
    const { sale } = this.#deps;
    const body = this.#bodyRead ? ((this.#body as Buffer | null) ?? EMPTY) : null;
    this.#leave();
    const client = new PaidClient(this.#client, headers, body);
    new HttpExchange({ ...this.#deps, sale: sale?.again ?? null }, client, context).start();
  }

  #refuseFinally(refusal: Refusal): void {
    this.#response.discard();
    if (this.#body !== null && !Buffer.isBuffer(this.#body)) this.#body.destroy();
    logRefusal(this.#deps.logger, this.#context, refusal);
    this.#finish(refusal.status);
    this.#client.refuse(refusal, this.#context);
  }

  #leave(): void {
    this.#over = true;
    this.#forwarder.close();
    this.#deps.timeoutQueue.delete(this);
    this.#deps.budget.give(this.#keptBytes);
    if (!this.#entered) return;
    this.#context.use?.leave();
    this.#client.setHandler(null);
  }

  #finish(status: number): void {
    this.#leave();
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
    this.expiresAt = this.#deps.timeoutQueue.expiryIn(ms);
  }
}

function needOf({ methods, params }: JsonRpcRequest): Need {
  const block = Math.max(...methods.map((method, index) => blockNeeded(method, params[index])));
  return { methods, block, range: methods[0] === 'eth_getLogs' ? rangeOf(params[0]) : 0 };
}

const EMPTY = Buffer.alloc(0);
const NO_BODY = { contentLength: 0, chunked: false, encoded: false, expectsContinue: false };

guardMethods(HttpExchange, [
  'start',
  'onRequestData',
  'onRequestTooLarge',
  'onRequestStream',
  'onRequestEnd',
  'onDrain',
  'onClientAborted',
  'onRequestTimeout',
  'onTimeout',
]);
