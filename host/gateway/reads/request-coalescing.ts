import { isUtf8 } from 'node:buffer';
import {
  answerOf,
  blockNeeded,
  blockOfAnswer,
  coalescingKey,
  elementsOf,
  hasDistinctIds,
  homeOf,
  isCacheable,
  repeatsMember,
  replyWith,
  requestHeaders,
  seedOf,
} from '../../../core/index.ts';
import type { GatewayRoute, JsonRpcRequest } from '../../../core/index.ts';
import type { BufferBudget } from '../buffer-budget.ts';
import type { GatewayMetrics } from '../gateway-metrics.ts';
import type { RequestContext } from '../request-context.ts';
import type { Judgeable, PendingResponse, UpstreamFailure, UpstreamResponseHandler } from '../upstream-request.ts';
import type { Upstream } from '../upstream.ts';
import { CachedBatch } from './cached-batch.ts';
import type { BatchCall } from './cached-batch.ts';
import type { CoalescibleRead, KeptBy } from './coalescible-read.ts';
import { codingOf, decodeBody } from './decode-body.ts';
import type { FinalBlock } from './final-block.ts';
import type { SharedAnswers } from './shared-answers.ts';
import type { ResponseCache } from './response-cache.ts';

/** A read that waits for the answer to an equal one. */
export interface CoalescedReadHandler {
  /** The complete reply, with the request's own id. */
  onCoalescedResponse(body: Buffer): void;
  /** No answer will come, so the request must be sent to a node itself. */
  onCoalescingEnded(): void;
}

export interface RequestCoalescerDeps {
  readonly metrics: GatewayMetrics;
  readonly budget: BufferBudget;
  readonly cache: ResponseCache;
  /** `null` where instances share no answers. */
  readonly shared: SharedAnswers | null;
}

/** Replies up to this size, in bytes, are shared; for a larger one each request is sent itself. */
const MAX_COALESCED_BYTES = 1024 * 1024;
/** An answer that depends on the newest block may be at most this much older than the request. */
const MAX_AGE_MS = 100;
const NO_HEADERS = { names: new Set<string>(), pairs: [] };

/**
 * Sends equal reads that are in flight at the same time once, and answers from the cache (core/decisions/gateway-reads.md).
 */
export class RequestCoalescer {
  readonly #deps: RequestCoalescerDeps;
  readonly #leads = new Map<string, CoalescedRequest>();
  /** The headers that are sent upstream, for heads that clients repeat. */
  readonly #heads = new WeakMap<object, string>();
  #writes = 0;

  constructor(deps: RequestCoalescerDeps) {
    this.#deps = deps;
  }

  /** A request with its key; `null` if its answer is never that of another one, by its route or its kind. */
  read(context: RequestContext, request: JsonRpcRequest): CoalescibleRead | null {
    const { live } = context;
    if (live?.reusesAnswers !== true) return null;
    const { route, final } = live;
    const call = coalescingKey(request);
    if (call === null) return null;
    const namesBlock = blockNeeded(request.methods[0] as string, request.params[0]) < Infinity;
    const key = [route.id, context.rest, this.#head(context), call].join('\n');
    return {
      key,
      id: request.ids[0] as string,
      route: route.host,
      namesBlock,
      flightKey: !route.reads.dedupe ? null : namesBlock ? key : `${key}\n${homeNumber(context)}`,
      kept: final === null ? null : keptBy(request, route, final),
    };
  }

  /** Brings answers of other instances into memory; `null` where there is nothing to wait for. */
  recall(read: CoalescibleRead | null, batch: CachedBatch | null): Promise<void> | null {
    const { shared, cache } = this.#deps;
    if (shared === null) return null;
    const reads = read === null ? (batch?.reads ?? []) : [read];
    return shared.find(reads.filter(({ key, kept }) => kept !== null && !cache.has(key, kept.final)));
  }

  /** The cached reply; `null` when there is none. */
  cached(read: CoalescibleRead): Buffer | null {
    const answer = this.find(read);
    return answer === null ? null : Buffer.from(replyWith(answer, read.id));
  }

  /** A batch with the cached answers to its calls; `null` where none of them can have one, or be told apart. */
  batch(context: RequestContext, request: JsonRpcRequest): CachedBatch | null {
    if (!request.batch || (context.live?.final ?? null) === null || !hasDistinctIds(request.ids)) return null;
    const elements = elementsOf(request.text);
    if (elements?.length !== request.ids.length) return null;
    const calls = elements.map((text, index) => this.#callOf(context, elementOf(request, index, text)));
    return calls.some(({ read }) => read !== null) ? new CachedBatch(calls, this, this.#deps.budget) : null;
  }

  #callOf(context: RequestContext, request: JsonRpcRequest): BatchCall {
    const [id = null] = request.ids;
    const read = this.read(context, request);
    return { id, text: request.text, read: read?.kept == null ? null : read };
  }

  /** The cached answer, without the id of its request; `null` when there is none. */
  find({ key, route, kept }: CoalescibleRead): string | null {
    if (kept === null) return null;
    const answer = this.#deps.cache.find(key, kept.final);
    this.#deps.metrics.cachedRead(route, answer === null ? 'miss' : 'hit', this.#deps.cache.bytes);
    return answer;
  }

  /** Caches an answer if its block is final and was final when the request was sent. */
  keep(read: CoalescibleRead, answer: string, upstream: Upstream): void {
    const { key, kept } = read;
    if (kept === null) return;
    const { method, params, final, generation, height } = kept;
    const block = blockOfAnswer(method, params, answer);
    if (block === null || block > height || generation !== final.generation || !final.has(upstream)) return;
    this.#deps.cache.put(key, { answer, block, final, generation });
    this.#deps.shared?.keep(read, answer, block, upstream);
  }

  /** Waits for an equal request in flight; `null` when there is none to wait for. */
  follow(read: CoalescibleRead, handler: CoalescedReadHandler): PendingResponse | null {
    const lead = read.flightKey === null ? undefined : this.#leads.get(read.flightKey);
    if (lead === undefined) return null;
    const fresh = lead.writes === this.#writes && performance.now() - lead.startedAt <= MAX_AGE_MS;
    if (!fresh && !read.namesBlock) return null;
    this.count(read, 'joined');
    return lead.join(read, handler);
  }

  /** Registers a request that is sent to a node and that others may wait for. */
  lead(read: CoalescibleRead): CoalescedRequest {
    const lead = new CoalescedRequest(this, read, this.#writes, this.#deps.budget);
    if (read.flightKey !== null) this.#leads.set(read.flightKey, lead);
    return lead;
  }

  /** A write may have changed something: later reads must not get an answer from before it. */
  wrote(): void {
    this.#writes += 1;
  }

  /** No further request may wait for it. */
  closed(lead: CoalescedRequest): void {
    const { flightKey } = lead.read;
    if (flightKey !== null && this.#leads.get(flightKey) === lead) this.#leads.delete(flightKey);
  }

  count({ route }: CoalescibleRead, outcome: 'joined' | 'answered' | 'alone'): void {
    this.#deps.metrics.coalescedRead(route, outcome);
  }

  #head({ headCache, rawHeaders, keyText, httpVersion }: RequestContext): string {
    let head = this.#heads.get(headCache);
    if (head === undefined) {
      head = requestHeaders(rawHeaders, keyText, NO_HEADERS, httpVersion).join('\n');
      this.#heads.set(headCache, head);
    }
    return head;
  }
}

/** Apps whose reads of the newest block go to the same upstream. */
function homeNumber({ live, auth }: RequestContext): number {
  if (live?.monotonic !== true || auth === null) return 0;
  const home = homeOf(live.upstreams, seedOf(auth.key.app.id));
  return home === null ? 0 : live.upstreams.indexOf(home);
}

/** One call of a batch as a request of its own. */
function elementOf({ methods, params, ids }: JsonRpcRequest, index: number, text: string): JsonRpcRequest {
  return {
    batch: false,
    methods: [methods[index] as string],
    text,
    params: [params[index]],
    ids: [ids[index] ?? null],
  };
}

function keptBy(
  { methods, params, text }: JsonRpcRequest,
  { chain, network }: GatewayRoute,
  final: FinalBlock,
): KeptBy | null {
  const [method = ''] = methods;
  const [given] = params;
  if (!Array.isArray(given) || !isCacheable(method, given) || repeatsMember(text)) return null;
  const { generation, height } = final;
  return { method, params: given as readonly unknown[], chain, network, final, generation, height };
}

interface Follower {
  readonly read: CoalescibleRead;
  readonly handler: CoalescedReadHandler;
}

/** A read that was sent to a node, and the equal ones that wait for its answer. */
export class CoalescedRequest {
  readonly read: CoalescibleRead;
  readonly startedAt = performance.now();
  readonly writes: number;
  readonly #reads: RequestCoalescer;
  readonly #budget: BufferBudget;
  readonly #followers = new Set<Follower>();
  #chunks: Buffer[] = [];
  #bytes = 0;
  #decoding = false;
  #ended = false;

  constructor(reads: RequestCoalescer, read: CoalescibleRead, writes: number, budget: BufferBudget) {
    this.#reads = reads;
    this.read = read;
    this.writes = writes;
    this.#budget = budget;
  }

  join(read: CoalescibleRead, handler: CoalescedReadHandler): PendingResponse {
    const follower = { read, handler };
    this.#followers.add(follower);
    const leave = (): void => void this.#followers.delete(follower);
    return { requestSent: true, cancel: leave, expire: leave, resume: () => undefined };
  }

  /** The answer begins. @returns whether any request waits for it */
  close(): boolean {
    this.#reads.closed(this);
    return this.#wanted;
  }

  /** Keeps a part of the answer. The chunk may be overwritten afterwards. */
  keep(chunk: Buffer): void {
    if (!this.#wanted) return;
    if (this.#bytes + chunk.length > MAX_COALESCED_BYTES || !this.#budget.take(chunk.length)) {
      this.end();
      return;
    }
    this.#bytes += chunk.length;
    this.#chunks.push(Buffer.from(chunk));
  }

  complete(coding: string, upstream: Upstream): void {
    if (!this.#wanted) return;
    this.#decoding = true;
    void decodeBody(Buffer.concat(this.#chunks, this.#bytes), coding, MAX_COALESCED_BYTES).then((body) => {
      this.#decoding = false;
      const answer = body !== null && isUtf8(body) ? answerOf(body.toString('utf8'), this.read.id) : null;
      if (answer !== null) {
        this.#deliver(answer);
        this.#reads.keep(this.read, answer, upstream);
      }
      this.end();
    });
  }

  /** The waiting requests are sent to a node themselves. */
  end(): void {
    if (this.#decoding) return;
    this.#ended = true;
    this.#reads.closed(this);
    this.#budget.give(this.#bytes);
    this.#bytes = 0;
    this.#chunks = [];
    for (const follower of this.#taken()) {
      this.#reads.count(follower.read, 'alone');
      follower.handler.onCoalescingEnded();
    }
  }

  get #wanted(): boolean {
    return this.#followers.size > 0 || (this.read.kept !== null && !this.#ended);
  }

  #deliver(answer: string): void {
    for (const follower of this.#taken()) {
      this.#reads.count(follower.read, 'answered');
      follower.handler.onCoalescedResponse(Buffer.from(replyWith(answer, follower.read.id)));
    }
  }

  #taken(): readonly Follower[] {
    const followers = [...this.#followers];
    this.#followers.clear();
    return followers;
  }
}

/** Passes a response on to its own request, and keeps it for the equal ones that wait. */
export class CoalescedResponse implements UpstreamResponseHandler {
  readonly #handler: UpstreamResponseHandler;
  readonly #lead: CoalescedRequest;
  readonly #upstream: Upstream;
  #kept = false;
  #coding = '';

  constructor(handler: UpstreamResponseHandler, lead: CoalescedRequest, upstream: Upstream) {
    this.#upstream = upstream;
    this.#handler = handler;
    this.#lead = lead;
  }

  onUpstreamConnect(): void {
    this.#handler.onUpstreamConnect();
  }

  onResponseHeaders(status: number, fields: readonly string[], length: string | null, request: Judgeable): void {
    // After any other status another upstream may be tried.
    if (status === 200) {
      this.#kept = this.#lead.close();
      this.#coding = codingOf(fields);
    }
    this.#handler.onResponseHeaders(status, fields, length, request);
  }

  onResponseData(chunk: Buffer): boolean {
    if (this.#kept) this.#lead.keep(chunk);
    const ready = this.#handler.onResponseData(chunk);
    // A client that reads slowly must not delay the others.
    if (!ready && this.#kept) this.#lead.end();
    return ready;
  }

  onResponseIdle(): void {
    this.#handler.onResponseIdle();
  }

  get retainsChunks(): boolean {
    return this.#handler.retainsChunks;
  }

  onResponseEnd(): void {
    if (this.#kept) this.#lead.complete(this.#coding, this.#upstream);
    this.#handler.onResponseEnd();
  }

  onResponseError(failure: UpstreamFailure): void {
    this.#handler.onResponseError(failure);
  }
}
