import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import { classOfCalls, classOfHttp, headOfAnswer, isRead, namesItsBlock, refuse } from '../../core/index.ts';
import type { Logger, NodeFault, Refusal } from '../../core/index.ts';
import { CONNECT_TIMEOUT, INVALID_REQUEST } from './failure-reasons.ts';
import { guardMethods } from './guard-methods.ts';
import type { Abortable } from './guard-methods.ts';
import type { GatewayMetrics } from './gateway-metrics.ts';
import { knownBroadcast } from './known-broadcast.ts';
import { JudgedResponse } from './judged-response.ts';
import type { JudgeOwner, NotAnswered } from './judged-response.ts';
import { ANYTHING, believable, NEWEST_BLOCK } from './live-route.ts';
import type { LiveRoute } from './live-route.ts';
import type { RequestBodyStream } from './request-body-stream.ts';
import type { RequestContext } from './request-context.ts';
import { upstreamHeaders } from './request-head-cache.ts';
import { BlockWait } from './reads/block-wait.ts';
import type { BatchOwner, CachedBatch } from './reads/cached-batch.ts';
import type { JoinedOwner, JoinedRequest } from './reads/joined-request.ts';
import { CoalescedResponse } from './reads/request-coalescing.ts';
import type { CoalescibleRead } from './reads/coalescible-read.ts';
import type { CoalescedRequest, CoalescedReadHandler, RequestCoalescer } from './reads/request-coalescing.ts';
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
  /** More of an answer has arrived that is passed on only as a whole. */
  onResponseProgress(): void;
  /** An answer is awaited for at most this time; anything that arrived from another upstream is discarded. */
  onWaiting(timeoutMs: number): void;
  /** @param upstream - the one that answers; `null` for the answer to an equal request */
  onResponseHeaders(status: number, fields: readonly string[], length: string | null, upstream: Upstream | null): void;
  /** There is no answer, or it was interrupted. */
  onUnanswered(refusal: Refusal): void;
}

/** Gets the answer to one request: from the cache, an equal request in flight, or one or more upstreams. */
export class RequestForwarder implements BatchOwner, JoinedOwner, CoalescedReadHandler, HedgeOwner, JudgeOwner {
  /** Set for a read that may share its answer with equal ones. */
  read: CoalescibleRead | null = null;
  /** True for a JSON-RPC request with several calls. */
  batch = false;
  /** Set for a batch whose calls may be answered from the cache one by one. */
  cachedBatch: CachedBatch | null = null;
  /** Set for a call that is answered in parts. */
  joined: JoinedRequest | null = null;
  readonly attempts = new UpstreamAttempts();
  readonly #deps: RequestForwarderDeps;
  readonly #handler: ForwardedResponseHandler;
  readonly #context: RequestContext;
  #body: Buffer | RequestBodyStream | null = null;
  #request: PendingResponse | null = null;
  /** Set while equal reads may wait for the answer to this one. */
  #lead: CoalescedRequest | null = null;
  #over = false;
  /** True once a node may have worked on it: that costs its units, since a call can be made to fail. */
  #executed = false;
  /** An answer that was refused, for the case that there is no better one. */
  #refused: JudgedResponse | null = null;

  constructor(deps: RequestForwarderDeps, handler: ForwardedResponseHandler, context: RequestContext) {
    this.#deps = deps;
    this.#handler = handler;
    this.#context = context;
  }

  /** True while an answer is awaited. */
  get waiting(): boolean {
    return this.#request !== null;
  }

  get rpc(): JudgeOwner['rpc'] {
    const { live, methods } = this.#context;
    return live === null || methods === null ? null : { family: live.chain.family, batch: this.batch };
  }

  /** Goes on with a call that was sent to an upstream. */
  takeOver(body: Buffer, upstream: Upstream, handOver: (handler: UpstreamResponseHandler) => UpstreamRequest): void {
    const methods = this.#context.methods ?? [];
    this.#body = body;
    this.attempts.idempotent = methods.every(isRead);
    this.attempts.need = { ...ANYTHING, methods };
    this.attempts.use(upstream);
    const request = handOver(this.handlerOf(upstream));
    this.#time(request, upstream);
    this.#request = request;
  }

  start(body: Buffer | RequestBodyStream | null, live: LiveRoute): void {
    this.#body = body;
    if (this.joined !== null) {
      this.#handler.onForwarded();
      this.#wait(this.joined, live.route.timeouts.connectMs + live.route.timeouts.firstByteMs);
      this.joined.start(this);
      return;
    }
    const recalled = this.#deps.coalescer.recall(this.read, this.cachedBatch);
    if (recalled === null) this.#begin(live);
    else this.#beginAfter(recalled, live);
  }

  /** Waits for the answers of other instances; that takes a moment at most. */
  #beginAfter(recalled: Promise<void>, live: LiveRoute): void {
    const nothing = (): void => undefined;
    const waiting = { requestSent: false, cancel: nothing, expire: nothing, resume: nothing };
    this.#wait(waiting, live.route.timeouts.connectMs);
    recalled
      .then(() => {
        if (this.#request === waiting && !this.#over) this.#begin(live);
      })
      .catch((error: unknown) => this.abort(error));
  }

  #begin(live: LiveRoute): void {
    const { coalescer } = this.#deps;
    this.cachedBatch?.look();
    const cached = this.read === null ? (this.cachedBatch?.complete ?? null) : coalescer.cached(this.read);
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
    const behind = upstream === null ? this.attempts.behind(live) : [];
    if (upstream === null && behind.length === 0) {
      this.#handler.onUnanswered(allDown());
      return;
    }
    this.#handler.onForwarded();
    if (this.read !== null) this.#lead = coalescer.lead(this.read);
    if (this.cachedBatch?.joins === true) this.#body = this.cachedBatch.rest;
    if (upstream === null) this.#awaitBlock(behind, live);
    else this.#ask(upstream, live);
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
    if (request instanceof BlockWait) {
      this.#giveUp(behindAnswers());
      return;
    }
    this.#log('an upstream, or its client, was too slow', 'timeout');
    const refusal = refuse('upstream_timeout');
    this.#executed ||= requestSent;
    if (requestSent || this.#handler.flushed) this.#giveUp(refusal);
    else this.#retry(false, refusal);
  }

  close(): void {
    this.#over = true;
    this.#lead?.end();
    this.cachedBatch?.release();
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

  onJoinedResponse(body: Buffer): void {
    this.onCoalescedResponse(body);
  }

  onUnjoined(refusal: Refusal, executed: boolean): void {
    this.#executed ||= executed;
    this.#giveUp(refusal);
  }

  onResponseProgress(): void {
    this.#handler.onResponseProgress();
  }

  onCoalescingEnded(): void {
    const { live } = this.#context;
    if (this.#over || live === null) return;
    const upstream = this.attempts.first(live);
    if (upstream === null) this.#awaitOrGiveUp(live, allDown());
    else this.#ask(upstream, live);
  }

  // ---- an upstream

  #awaitOrGiveUp(live: LiveRoute, refusal: Refusal): void {
    const behind = this.attempts.behind(live);
    if (behind.length === 0) this.#giveUp(refusal);
    else this.#awaitBlock(behind, live);
  }

  /** Asks one of these as soon as it has the block that was answered already. */
  #awaitBlock(behind: readonly Upstream[], live: LiveRoute): void {
    const wait = new BlockWait(this, behind, live, (upstream) => {
      this.attempts.use(upstream);
      this.#ask(upstream, live);
    });
    this.#wait(wait, live.route.timeouts.connectMs);
    wait.start();
  }

  #ask(upstream: Upstream, { route: { reads, timeouts }, hedges }: LiveRoute): void {
    if (hedges === null || reads.hedgeAfterMs === null || !this.attempts.mayHedge) {
      const request = this.newRequest(upstream, this.handlerOf(upstream));
      this.#wait(request, timeouts.connectMs);
      request.start(this.outgoing(upstream));
      return;
    }
    hedges.count();
    const request = new HedgedRequest(this, upstream, reads.hedgeAfterMs);
    this.#wait(request, timeouts.connectMs);
    request.start();
  }

  #wait(request: PendingResponse, timeoutMs: number): void {
    this.#request = request;
    this.#handler.onWaiting(timeoutMs);
  }

  newRequest(upstream: Upstream, handler: UpstreamResponseHandler): UpstreamRequest {
    const request = upstream.newRequest(this.#body, handler);
    this.#time(request, upstream);
    return request;
  }

  #time(request: UpstreamRequest, upstream: Upstream): void {
    const { live, methods, method } = this.#context;
    const methodClass = methods === null ? classOfHttp(method) : classOfCalls(methods, this.batch);
    if (live !== null) request.times = this.#deps.metrics.timesOf(live.route.host, upstream).of(methodClass);
  }

  outgoing(upstream: Upstream): OutgoingRequest {
    const context = this.#context;
    const { method, head, rest, live } = context;
    const path = live?.route.protocol === 'jsonrpc' ? upstream.rpcTarget(rest) : upstream.target(rest);
    const all = upstreamHeaders(context, upstream.own);
    const headers = this.cachedBatch?.joins === true ? withoutCoding(all) : all;
    return { path, method, headers, body: this.#body, contentLength: head?.contentLength ?? null };
  }

  handlerOf(upstream: Upstream): UpstreamResponseHandler {
    return new JudgedResponse(this, upstream, this.#keeping(upstream));
  }

  /** The handler of an answer, which keeps it where others may use it. */
  #keeping(upstream: Upstream): UpstreamResponseHandler {
    if (this.cachedBatch !== null) return this.cachedBatch.responseFrom(upstream, this);
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
    this.#executed ||= requestSent;
    const bodyLeft = this.#body === null || Buffer.isBuffer(this.#body) || (!requestSent && !this.#body.destroyed);
    const may = live !== null && bodyLeft && !this.#handler.flushed;
    const next = may ? this.attempts.another(live, requestSent) : null;
    if (next !== null && live !== null) this.#ask(next, live);
    else if (may && this.attempts.mayGoOn(requestSent)) this.#awaitOrGiveUp(live, refusal);
    else this.#giveUp(refusal);
  }

  /** An answer that says why is better than none. */
  #giveUp(refusal: Refusal): void {
    this.#context.unanswered = !this.#executed;
    const refused = this.#refused;
    this.#refused = null;
    if (this.#handler.flushed || refused?.release() !== true) this.#handler.onUnanswered(refusal);
  }

  onNotAnswered(upstream: Upstream, meaning: NotAnswered, status: number, answer: JudgedResponse): boolean {
    const { live } = this.#context;
    if (live === null || this.#over) return true;
    const { reason } = meaning;
    this.#log('an upstream did not answer', reason, upstream);
    this.#deps.metrics.fault(live.route.host, upstream.host, reason);
    this.#executed ||= !FREE.has(reason);
    const lacks = meaning.kind === 'lacks';
    if (lacks) upstream.abilities.learn(reason, this.attempts.need, upstream.health.head, performance.now());
    const repeatable = (this.#body === null || Buffer.isBuffer(this.#body)) && !this.#handler.flushed;
    const budget = lacks ? live.detours : live.retries;
    const next = repeatable && this.#inTime(live) ? this.attempts.instead(live, !REFUSED.has(reason), budget) : null;
    if (next !== null) {
      this.#request?.cancel();
      this.#refused = answer;
      this.#ask(next, live);
      return true;
    }
    const behind = repeatable && this.attempts.mayGoOn(!REFUSED.has(reason)) ? this.attempts.behind(live) : [];
    if (behind.length > 0 && this.#inTime(live) && budget.take()) {
      this.#request?.cancel();
      this.#refused = answer;
      this.#awaitBlock(behind, live);
      return true;
    }
    this.#context.unanswered = !this.#executed;
    if (!CREDENTIALS.has(status)) return false;
    // The credentials in the gateway's configuration are wrong; the client's were accepted.
    this.#request?.cancel();
    this.#giveUp(refuse('upstream_unavailable'));
    return true;
  }

  onAnswered(upstream: Upstream, opening: Buffer): void {
    const { live } = this.#context;
    const { spread, need } = this.attempts;
    if (live === null || spread === null || need.block !== NEWEST_BLOCK) return;
    const [method = ''] = need.methods;
    // In the replies to a batch the same words may be of another call.
    const named =
      !this.batch && namesItsBlock(method)
        ? headOfAnswer(method, opening.toString('latin1', 0, Math.min(opening.length, OPENING_BYTES)))
        : null;
    upstream.answered(named === null ? null : believable(live, named), performance.now());
  }

  /** A node that was asked in place of another one may have got a broadcast from that one. */
  inPlaceOf(error: string): string | null {
    if (!this.attempts.several || !Buffer.isBuffer(this.#body) || this.rpc?.family !== 'evm') return null;
    return knownBroadcast(this.#body.toString('utf8'), error);
  }

  /** Whether the request may go on to another upstream: its first one had the whole time for itself. */
  #inTime({ route: { timeouts } }: LiveRoute): boolean {
    return performance.now() - this.#context.startedAt < timeouts.connectMs + timeouts.firstByteMs;
  }

  onResponseHeaders(status: number, fields: readonly string[], length: string | null): void {
    const { upstream } = this.attempts;
    if (upstream === null || this.#over) return;
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

/** A node that refuses a request for these reasons has not executed it. */
const REFUSED: ReadonlySet<NodeFault> = new Set(['unauthorised', 'rate_limited', 'no_method']);
/** Reasons that no call can bring about: such an answer costs no units. */
const FREE: ReadonlySet<NodeFault> = new Set(['unauthorised', 'rate_limited', 'unavailable']);
/** Statuses of which a client would think that its own key is wrong. */
const CREDENTIALS: ReadonlySet<number> = new Set([401, 402, 403, 407]);
const JSON_TYPE = ['Content-Type', 'application/json'];

/** A block names its number within this many bytes. */
const OPENING_BYTES = 4 * 1024;

const behindAnswers = (): Refusal =>
  refuse('upstream_unavailable', {
    status: 503,
    message: 'The nodes that serve are behind a block that was answered already; try again.',
    retryAfterSeconds: 1,
  });

/** Joined answers have no coding, so that an upstream needs not compress its part. */
function withoutCoding(headers: readonly string[]): readonly string[] {
  const at = (index: number): string => (headers[index - (index % 2)] as string).toLowerCase();
  return headers.filter((_each, index) => at(index) !== 'accept-encoding');
}

const allDown = (): Refusal => refuse('upstream_unavailable', { status: 503, retryAfterSeconds: 1 });

guardMethods(RequestForwarder, [
  'onCoalescedResponse',
  'onCoalescingEnded',
  'onJoinedResponse',
  'onUnjoined',
  'onResponseProgress',
  'onUpstreamConnect',
  'onResponseError',
  'onResponseHeaders',
  'onResponseData',
  'onResponseIdle',
  'onResponseEnd',
]);
