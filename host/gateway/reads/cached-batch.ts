import { Buffer, isUtf8 } from 'node:buffer';
import { joinBatch, joinedReplies } from '../../../core/index.ts';
import type { BufferBudget } from '../buffer-budget.ts';
import type { Judgeable, UpstreamFailure, UpstreamResponseHandler } from '../upstream-request.ts';
import type { Upstream } from '../upstream.ts';
import { codingOf, decodeBody } from './decode-body.ts';
import type { CoalescibleRead } from './coalescible-read.ts';

/** One call of a batch. */
export interface BatchCall {
  /** As JSON text; `null` for a notification. */
  readonly id: string | null;
  /** Its request as received. */
  readonly text: string;
  /** `null` for a call whose answer is never cached. */
  readonly read: CoalescibleRead | null;
}

/** Where answers are cached. `RequestCoalescer` implements it. */
export interface AnswerCache {
  find(read: CoalescibleRead): string | null;
  keep(read: CoalescibleRead, answer: string, upstream: Upstream): void;
}

/** The request of a {@link CachedBatch}. `RequestForwarder` implements it. */
export interface BatchOwner extends UpstreamResponseHandler {
  /** More of an answer has arrived that is not passed on yet. */
  onResponseProgress(): void;
  /** The complete answer. */
  onJoinedResponse(body: Buffer): void;
  abort(error: unknown): void;
}

/** An answer up to this size, in bytes, is joined in the order of the calls; a larger one is passed on as it comes. */
const MAX_JOINED_BYTES = 4 * 1024 * 1024;
const OPENING = 0x5b;

/** A batch some of whose calls are answered from the cache; an upstream is asked the others, as one batch. */
export class CachedBatch {
  readonly #calls: readonly BatchCall[];
  readonly #cache: AnswerCache;
  readonly #budget: BufferBudget;
  /** The cached answer to each call. */
  #known: readonly (string | null)[];
  /** The bytes of an upstream's answer that are held. */
  #held = 0;

  constructor(calls: readonly BatchCall[], cache: AnswerCache, budget: BufferBudget) {
    this.#calls = calls;
    this.#cache = cache;
    this.#budget = budget;
    this.#known = calls.map(() => null);
  }

  /** The calls whose answers may be cached. */
  get reads(): readonly CoalescibleRead[] {
    return this.#calls.flatMap(({ read }) => read ?? []);
  }

  /** Looks each of them up. */
  look(): void {
    this.#known = this.#calls.map(({ read }) => (read === null ? null : this.#cache.find(read)));
  }

  /** True if a cached answer has to be joined with those of an upstream. */
  get joins(): boolean {
    return this.#known.some((answer) => answer !== null);
  }

  /** The answer, where all calls are answered from the cache. */
  get complete(): Buffer | null {
    return this.#known.every((answer) => answer !== null) ? Buffer.from(joinedReplies(this.#ids, this.#known)) : null;
  }

  /** The batch of the calls that an upstream is asked. */
  get rest(): Buffer {
    const left = this.#calls.filter((_call, index) => this.#known[index] === null);
    return Buffer.from(`[${left.map(({ text }) => text).join(',')}]`);
  }

  responseFrom(upstream: Upstream, owner: BatchOwner): UpstreamResponseHandler {
    return new BatchResponse(this, upstream, owner);
  }

  /** Reserves memory for a part of an answer; false when the answer is too large to hold. */
  take(bytes: number): boolean {
    if (this.#held + bytes > MAX_JOINED_BYTES || !this.#budget.take(bytes)) return false;
    this.#held += bytes;
    return true;
  }

  /** Gives back the memory of an answer that is no longer held. */
  release(): void {
    this.#budget.give(this.#held);
    this.#held = 0;
  }

  /** Caches the answers of an upstream. @returns all answers; `null` where the upstream's speaks for the batch as a whole */
  join(body: string, upstream: Upstream): Buffer | null {
    const joined = joinBatch(this.#ids, this.#known, body);
    for (const [index, answer] of joined?.fresh ?? []) {
      const read = this.#calls[index]?.read ?? null;
      if (read !== null) this.#cache.keep(read, answer, upstream);
    }
    return joined === null ? null : Buffer.from(joined.text);
  }

  /** The opening of an answer that continues with an upstream's replies. */
  get opening(): Buffer {
    return Buffer.from(`${joinedReplies(this.#ids, this.#known).slice(0, -1)},`);
  }

  get #ids(): readonly (string | null)[] {
    return this.#calls.map(({ id }) => id);
  }
}

/** An upstream's answer to the rest of a batch. */
class BatchResponse implements UpstreamResponseHandler {
  readonly #batch: CachedBatch;
  readonly #upstream: Upstream;
  readonly #owner: BatchOwner;
  /** True while the owner gets the answer only as a whole. */
  #joining = false;
  /** The answer so far; `null` where it is not needed or is too large. */
  #held: Buffer[] | null = null;
  #head: Parameters<UpstreamResponseHandler['onResponseHeaders']> | null = null;

  constructor(batch: CachedBatch, upstream: Upstream, owner: BatchOwner) {
    this.#batch = batch;
    this.#upstream = upstream;
    this.#owner = owner;
  }

  onUpstreamConnect(): void {
    this.#owner.onUpstreamConnect();
  }

  onResponseHeaders(status: number, fields: readonly string[], length: string | null, request: Judgeable): void {
    // A further upstream is asked only when the answer of the former one is not used.
    this.#batch.release();
    this.#head = [status, fields, length, request];
    const good = status >= 200 && status < 300;
    this.#joining = good && this.#batch.joins;
    this.#held = good ? [] : null;
    if (!this.#joining) this.#owner.onResponseHeaders(status, fields, length, request);
  }

  onResponseData(chunk: Buffer): boolean {
    // The chunk may be overwritten afterwards.
    if (this.#held !== null && this.#batch.take(chunk.length)) this.#held.push(Buffer.from(chunk));
    else this.#stopHolding();
    if (!this.#joining) return this.#owner.onResponseData(chunk);
    this.#owner.onResponseProgress();
    return true;
  }

  onResponseIdle(): void {
    if (!this.#joining) this.#owner.onResponseIdle();
  }

  get retainsChunks(): boolean {
    return !this.#joining && this.#owner.retainsChunks;
  }

  onResponseEnd(): void {
    if (this.#held === null) this.#owner.onResponseEnd();
    else void this.#finish(Buffer.concat(this.#held), codingOf(this.#head?.[1] ?? []));
  }

  onResponseError(failure: UpstreamFailure): void {
    this.#owner.onResponseError(failure);
  }

  async #finish(body: Buffer, coding: string): Promise<void> {
    if (!this.#joining) this.#owner.onResponseEnd();
    try {
      const decoded = await decodeBody(body, coding, MAX_JOINED_BYTES);
      const joined =
        decoded === null || !isUtf8(decoded) ? null : this.#batch.join(decoded.toString('utf8'), this.#upstream);
      this.#batch.release();
      if (!this.#joining) return;
      if (joined !== null) this.#owner.onJoinedResponse(joined);
      else {
        this.#pass(this.#head?.[2] ?? null, [body]);
        this.#owner.onResponseEnd();
      }
    } catch (error) {
      this.#owner.abort(error);
    }
  }

  /** An answer that is too large to join goes on as it comes, behind the cached ones. */
  #stopHolding(): void {
    const held = this.#held;
    this.#held = null;
    this.#batch.release();
    if (held === null || !this.#joining) return;
    const body = Buffer.concat(held);
    const plain = codingOf(this.#head?.[1] ?? []) === 'identity' && body[0] === OPENING;
    if (plain) this.#pass(null, [this.#batch.opening, body.subarray(1)]);
    else this.#pass(this.#head?.[2] ?? null, [body]);
  }

  #pass(length: string | null, parts: readonly Buffer[]): void {
    if (this.#head === null) return;
    const [status, fields, , request] = this.#head;
    this.#joining = false;
    this.#owner.onResponseHeaders(status, fields, length, request);
    for (const part of parts) this.#owner.onResponseData(part);
  }
}
