import { isUtf8 } from 'node:buffer';
import { blockNeeded, replyWith, requestHeaders, sharedAnswer, sharedReadKey } from '../../../core/index.ts';
import type { JsonRpcRequest } from '../../../core/index.ts';
import type { BufferBudget } from '../buffer-budget.ts';
import type { GatewayMetrics } from '../gateway-metrics.ts';
import type { RequestContext } from '../request-context.ts';
import type { PendingResponse } from '../upstream-request.ts';
import { decodeBody } from './decode-body.ts';

/** A read that waits for the answer to an equal one. */
export interface SharedReadHandler {
  /** The whole reply, with the request's own id. */
  onSharedReply(body: Buffer): void;
  /** There will be none: it has to ask a node itself. */
  onShareEnded(): void;
}

export interface SharedReadsDeps {
  readonly metrics: GatewayMetrics;
  readonly budget: BufferBudget;
}

/** A reply up to this size, in bytes, is shared; for a larger one each has to ask itself. */
const MAX_SHARED_BYTES = 1024 * 1024;
/** What depends on the newest block may be older than the request by so much. */
const MAX_AGE_MS = 100;
const NO_HEADERS = { names: new Set<string>(), pairs: [] };

/** A request that may share its answer. */
export interface ShareableRead {
  readonly key: string;
  /** As JSON text. */
  readonly id: string;
  readonly route: string;
  /** False for what the newest block may change. */
  readonly namesBlock: boolean;
}

/** Equal reads that are in flight at the same time, sent once (decision 0039). */
export class SharedReads {
  readonly #deps: SharedReadsDeps;
  readonly #leads = new Map<string, SharedRead>();
  /** The headers that go upstream, of heads that clients repeat. */
  readonly #heads = new WeakMap<object, string>();
  #writes = 0;

  constructor(deps: SharedReadsDeps) {
    this.#deps = deps;
  }

  /** What a request may be shared by; `null` for one whose route or kind shares nothing. */
  read(context: RequestContext, request: JsonRpcRequest): ShareableRead | null {
    const route = context.live?.route;
    if (route?.reads.dedupe !== true) return null;
    const call = sharedReadKey(request);
    if (call === null) return null;
    return {
      key: [route.id, context.rest, this.#head(context), call].join('\n'),
      id: request.ids[0] as string,
      route: route.host,
      namesBlock: blockNeeded(request.methods[0] as string, request.params[0]) < Infinity,
    };
  }

  /** Waits for an equal request that is in flight; `null` when there is none that may be waited for. */
  follow(read: ShareableRead, handler: SharedReadHandler): PendingResponse | null {
    const lead = this.#leads.get(read.key);
    if (lead === undefined) return null;
    const fresh = lead.writes === this.#writes && performance.now() - lead.startedAt <= MAX_AGE_MS;
    if (!fresh && !read.namesBlock) return null;
    this.count(read, 'joined');
    return lead.join(read, handler);
  }

  /** A request that goes to a node itself, and that others may wait for. */
  lead(read: ShareableRead): SharedRead {
    const lead = new SharedRead(this, read, this.#writes, this.#deps.budget);
    this.#leads.set(read.key, lead);
    return lead;
  }

  /** Something may have changed: nobody may get an answer from before. */
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

  /** The answer begins. @returns whether anybody waits for it */
  close(): boolean {
    this.#reads.closed(this);
    return this.#followers.size > 0;
  }

  /** Keeps a part of the answer. The chunk may be overwritten afterwards. */
  keep(chunk: Buffer): void {
    if (this.#followers.size === 0) return;
    if (this.#bytes + chunk.length > MAX_SHARED_BYTES || !this.#budget.take(chunk.length)) {
      this.end();
      return;
    }
    this.#bytes += chunk.length;
    this.#chunks.push(Buffer.from(chunk));
  }

  /** The answer is complete. */
  complete(coding: string): void {
    if (this.#followers.size === 0) return;
    this.#decoding = true;
    void decodeBody(Buffer.concat(this.#chunks, this.#bytes), coding, MAX_SHARED_BYTES).then((body) => {
      this.#decoding = false;
      const answer = body !== null && isUtf8(body) ? sharedAnswer(body.toString('utf8'), this.read.id) : null;
      if (answer !== null) this.#deliver(answer);
      this.end();
    });
  }

  /** Whoever still waits asks a node itself. */
  end(): void {
    if (this.#decoding) return;
    this.#reads.closed(this);
    this.#budget.give(this.#bytes);
    this.#bytes = 0;
    this.#chunks = [];
    for (const follower of this.#taken()) {
      this.#reads.count(follower.read, 'alone');
      follower.handler.onShareEnded();
    }
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
