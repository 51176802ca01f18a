import { Buffer, isUtf8 } from 'node:buffer';
import { answerOf, refuse } from '../../../core/index.ts';
import type { BlockRange, JsonRpcRequest, Refusal } from '../../../core/index.ts';
import type { BufferBudget } from '../buffer-budget.ts';
import type { LiveRoute } from '../live-route.ts';
import type { RequestContext } from '../request-context.ts';
import { RequestForwarder } from '../request-forwarder.ts';
import type { ForwardedResponseHandler, RequestForwarderDeps } from '../request-forwarder.ts';
import type { Expirable, TimeoutQueue } from '../timeout-queue.ts';
import type { Upstream } from '../upstream.ts';
import { codingOf, decodeBody } from './decode-body.ts';

export interface PartRequestDeps extends RequestForwarderDeps {
  readonly timeoutQueue: TimeoutQueue;
  readonly budget: BufferBudget;
}

/** The owner of a {@link PartRequest}. */
export interface PartOwner {
  onPartProgress(): void;
  /** @param answer - as `answerOf` returns it */
  onPartAnswer(part: PartRequest, answer: string): void;
  onPartRefused(part: PartRequest, refusal: Refusal): void;
  abort(error: unknown): void;
}

/** The longest answer to a part, in bytes. */
export const MAX_PART_BYTES = 32 * 1024 * 1024;

/** One part of a call, with the failover of a call of its own. Its answer is held until it is complete. */
export class PartRequest implements ForwardedResponseHandler, Expirable {
  expiresAt = 0;
  queuePlace = -1;
  readonly range: BlockRange;
  readonly #deps: PartRequestDeps;
  readonly #owner: PartOwner;
  readonly #context: RequestContext;
  readonly #live: LiveRoute;
  readonly #request: JsonRpcRequest;
  readonly #forwarder: RequestForwarder;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #coding = '';
  #over = false;

  constructor(deps: PartRequestDeps, owner: PartOwner, { context, live, request, range, shares }: PartCall) {
    this.#deps = deps;
    this.#owner = owner;
    this.#live = live;
    this.#request = request;
    this.range = range;
    const { methods } = request;
    this.#context = { ...context, live, methods, startedAt: performance.now(), sent: false, unanswered: false };
    this.#forwarder = new RequestForwarder(deps, this, this.#context);
    const { attempts } = this.#forwarder;
    attempts.idempotent = true;
    attempts.need = { methods, block: range.to, range: range.to - range.from + 1 };
    if (shares && live.reusesAnswers) this.#forwarder.read = deps.coalescer.read(this.#context, request);
  }

  /** The upstream that has answered; `null` for an answer from the cache. */
  get upstream(): Upstream | null {
    return this.#forwarder.attempts.upstream;
  }

  /** True if no node has worked on it. */
  get unanswered(): boolean {
    return this.#context.unanswered;
  }

  start(): void {
    this.#forwarder.start(Buffer.from(this.#request.text), this.#live);
  }

  cancel(): void {
    if (this.#over) return;
    this.#forwarder.cancel();
    this.#end();
  }

  onForwarded(): void {
    this.#context.sent = true;
  }

  onResponseProgress(): void {
    this.#expireIn(this.#live.route.timeouts.idleMs);
    this.#owner.onPartProgress();
  }

  onWaiting(timeoutMs: number): void {
    this.#drop();
    this.#expireIn(timeoutMs);
    this.#deps.timeoutQueue.add(this);
  }

  onUpstreamConnect(): void {
    this.#expireIn(this.#live.route.timeouts.firstByteMs);
  }

  onResponseHeaders(_status: number, fields: readonly string[]): void {
    this.#coding = codingOf(fields);
    this.onResponseProgress();
  }

  onResponseData(chunk: Buffer): boolean {
    if (this.#over) return true;
    this.onResponseProgress();
    if (this.#bytes + chunk.length > MAX_PART_BYTES || !this.#deps.budget.take(chunk.length)) {
      this.#refuse(refuse('upstream_unavailable', { status: 503, message: 'The answer is too large.' }));
      return true;
    }
    this.#bytes += chunk.length;
    // The chunk may be overwritten afterwards.
    this.#chunks.push(Buffer.from(chunk));
    return true;
  }

  /** Nothing of it reaches the client before the other parts are there. */
  get flushed(): boolean {
    return false;
  }

  get retainsChunks(): boolean {
    return false;
  }

  onResponseIdle(): void {
    // The rest is awaited.
  }

  onResponseEnd(): void {
    if (!this.#over) void this.#finish(Buffer.concat(this.#chunks, this.#bytes));
  }

  onUnanswered(refusal: Refusal): void {
    this.#refuse(refusal);
  }

  onTimeout(): void {
    if (!this.#over) this.#forwarder.expire();
  }

  abort(error: unknown): void {
    this.cancel();
    this.#owner.abort(error);
  }

  async #finish(body: Buffer): Promise<void> {
    try {
      const decoded = await decodeBody(body, this.#coding, MAX_PART_BYTES);
      if (this.#over) return;
      const text = decoded !== null && isUtf8(decoded) ? decoded.toString('utf8') : '';
      const answer = answerOf(text, this.#request.ids[0] as string);
      if (answer === null) {
        this.#refuse(refuse('upstream_unavailable'));
        return;
      }
      this.#end();
      this.#owner.onPartAnswer(this, answer);
    } catch (error) {
      this.abort(error);
    }
  }

  #refuse(refusal: Refusal): void {
    if (this.#over) return;
    this.#forwarder.cancel();
    this.#end();
    this.#owner.onPartRefused(this, refusal);
  }

  #end(): void {
    this.#over = true;
    this.#deps.timeoutQueue.delete(this);
    this.#forwarder.close();
    this.#drop();
  }

  #drop(): void {
    this.#deps.budget.give(this.#bytes);
    this.#bytes = 0;
    this.#chunks = [];
  }

  #expireIn(ms: number): void {
    this.expiresAt = this.#deps.timeoutQueue.expiryIn(ms);
  }
}

/** What a {@link PartRequest} asks, and whom. */
export interface PartCall {
  /** Of the whole call. */
  readonly context: RequestContext;
  /** With the upstreams that may answer. */
  readonly live: LiveRoute;
  readonly request: JsonRpcRequest;
  readonly range: BlockRange;
  /** Whether its answer may be that of an equal call, or from the cache. */
  readonly shares: boolean;
}
