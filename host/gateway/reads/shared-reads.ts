import { isUtf8 } from 'node:buffer';
import {
  blockNeeded,
  blockOfAnswer,
  isCacheable,
  repeatsMember,
  replyWith,
  requestHeaders,
  answerOf,
  coalescingKey,
} from '../../../core/index.ts';
import type { JsonRpcRequest } from '../../../core/index.ts';
import type { BufferBudget } from '../buffer-budget.ts';
import type { GatewayMetrics } from '../gateway-metrics.ts';
import type { RequestContext } from '../request-context.ts';
import type { PendingResponse } from '../upstream-request.ts';
import type { Upstream } from '../upstream.ts';
import { decodeBody } from './decode-body.ts';
import type { FinalBlock } from './final-block.ts';
import type { ReadCache } from './read-cache.ts';

/** A read that waits for the answer to an equal one. */
export interface SharedReadHandler {
  /** The complete reply, with the request's own id. */
  onSharedReply(body: Buffer): void;
  /** No answer will come, so the request must be sent to a node itself. */
  onShareEnded(): void;
}

export interface SharedReadsDeps {
  readonly metrics: GatewayMetrics;
  readonly budget: BufferBudget;
  readonly cache: ReadCache;
}

/** Replies up to this size, in bytes, are shared; for a larger one each request is sent itself. */
const MAX_SHARED_BYTES = 1024 * 1024;
/** An answer that depends on the newest block may be at most this much older than the request. */
const MAX_AGE_MS = 100;
const NO_HEADERS = { names: new Set<string>(), pairs: [] };

/** A request that may share its answer. */
export interface ShareableRead {
  readonly key: string;
  readonly id: string;
  readonly route: string;
  /** False for a request whose answer a new block may change. */
  readonly namesBlock: boolean;
  /** False where each request must be sent. */
  readonly joins: boolean;
  /** The cache key of its answer; `null` for an answer that is never cached. */
  readonly kept: KeptBy | null;
}

/** The call whose answer is cached, and the state of finality when it was sent. */
interface KeptBy {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly final: FinalBlock;
  readonly generation: number;
  readonly height: number;
}

/** Equal reads that are in flight at the same time, sent once (core/decisions/gateway-reads.md). */
export class SharedReads {
  readonly #deps: SharedReadsDeps;
  readonly #leads = new Map<string, SharedRead>();
  /** The headers that are sent upstream, for heads that clients repeat. */
  readonly #heads = new WeakMap<object, string>();
  #writes = 0;

  constructor(deps: SharedReadsDeps) {
    this.#deps = deps;
  }

  /** The sharing key of a request; `null` if its route or kind shares nothing. */
  read(context: RequestContext, request: JsonRpcRequest): ShareableRead | null {
    const { live } = context;
    if (live?.shares !== true) return null;
    const { route, final } = live;
    const call = coalescingKey(request);
    if (call === null) return null;
    return {
      key: [route.id, context.rest, this.#head(context), call].join('\n'),
      id: request.ids[0] as string,
      route: route.host,
      namesBlock: blockNeeded(request.methods[0] as string, request.params[0]) < Infinity,
      joins: route.reads.dedupe,
      kept: final === null ? null : keptBy(request, final),
    };
  }

  /** The cached reply; `null` when there is none. */
  cached({ key, id, route, kept }: ShareableRead): Buffer | null {
    if (kept === null) return null;
    const answer = this.#deps.cache.find(key, kept.final);
    this.#deps.metrics.cachedRead(route, answer === null ? 'miss' : 'hit', this.#deps.cache.bytes);
    return answer === null ? null : Buffer.from(replyWith(answer, id));
  }

  /** Caches an answer if its block is final and was final when the request was sent. */
  keep({ key, kept }: ShareableRead, answer: string, upstream: Upstream): void {
    if (kept === null) return;
    const { method, params, final, generation, height } = kept;
    const block = blockOfAnswer(method, params, answer);
    if (block === null || block > height || generation !== final.generation || !final.has(upstream)) return;
    this.#deps.cache.put(key, { answer, block, final, generation });
  }

  /** Waits for an equal request in flight; `null` when there is none to wait for. */
  follow(read: ShareableRead, handler: SharedReadHandler): PendingResponse | null {
    const lead = read.joins ? this.#leads.get(read.key) : undefined;
    if (lead === undefined) return null;
    const fresh = lead.writes === this.#writes && performance.now() - lead.startedAt <= MAX_AGE_MS;
    if (!fresh && !read.namesBlock) return null;
    this.count(read, 'joined');
    return lead.join(read, handler);
  }

  /** Registers a request that is sent to a node and that others may wait for. */
  lead(read: ShareableRead): SharedRead {
    const lead = new SharedRead(this, read, this.#writes, this.#deps.budget);
    if (read.joins) this.#leads.set(read.key, lead);
    return lead;
  }

  /** A write may have changed something: later reads must not get an answer from before it. */
  wrote(): void {
    this.#writes += 1;
  }

  /** No further request may wait for it. */
  closed(lead: SharedRead): void {
    if (this.#leads.get(lead.read.key) === lead) this.#leads.delete(lead.read.key);
  }

  count({ route }: ShareableRead, outcome: 'joined' | 'answered' | 'alone'): void {
    this.#deps.metrics.sharedRead(route, outcome);
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

function keptBy({ methods, params, text }: JsonRpcRequest, final: FinalBlock): KeptBy | null {
  const [method = ''] = methods;
  const [given] = params;
  if (!Array.isArray(given) || !isCacheable(method, given) || repeatsMember(text)) return null;
  return { method, params: given as readonly unknown[], final, generation: final.generation, height: final.height };
}

interface Follower {
  readonly read: ShareableRead;
  readonly handler: SharedReadHandler;
}

/** A read that was sent to a node, and the equal ones that wait for its answer. */
export class SharedRead {
  readonly read: ShareableRead;
  readonly startedAt = performance.now();
  readonly writes: number;
  readonly #reads: SharedReads;
  readonly #budget: BufferBudget;
  readonly #followers = new Set<Follower>();
  #chunks: Buffer[] = [];
  #bytes = 0;
  #decoding = false;
  #ended = false;

  constructor(reads: SharedReads, read: ShareableRead, writes: number, budget: BufferBudget) {
    this.#reads = reads;
    this.read = read;
    this.writes = writes;
    this.#budget = budget;
  }

  join(read: ShareableRead, handler: SharedReadHandler): PendingResponse {
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
    if (this.#bytes + chunk.length > MAX_SHARED_BYTES || !this.#budget.take(chunk.length)) {
      this.end();
      return;
    }
    this.#bytes += chunk.length;
    this.#chunks.push(Buffer.from(chunk));
  }

  complete(coding: string, upstream: Upstream): void {
    if (!this.#wanted) return;
    this.#decoding = true;
    void decodeBody(Buffer.concat(this.#chunks, this.#bytes), coding, MAX_SHARED_BYTES).then((body) => {
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
      follower.handler.onShareEnded();
    }
  }

  get #wanted(): boolean {
    return this.#followers.size > 0 || (this.read.kept !== null && !this.#ended);
  }

  #deliver(answer: string): void {
    for (const follower of this.#taken()) {
      this.#reads.count(follower.read, 'answered');
      follower.handler.onSharedReply(Buffer.from(replyWith(answer, follower.read.id)));
    }
  }

  #taken(): readonly Follower[] {
    const followers = [...this.#followers];
    this.#followers.clear();
    return followers;
  }
}
