import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import { elementsOf, partRequest, refuse, replyWith, splitLogs, tooManyLogs } from '../../../core/index.ts';
import type { BlockRange, JsonRpcRequest, LogRules, Refusal } from '../../../core/index.ts';
import type { LiveRoute } from '../live-route.ts';
import type { RequestContext } from '../request-context.ts';
import type { Upstream } from '../upstream.ts';
import { findAnchor, holds, isFinal } from './branch-anchor.ts';
import type { BranchAnchor } from './branch-anchor.ts';
import type { JoinedOwner, JoinedRequest } from './joined-request.ts';
import { MAX_PART_BYTES, PartRequest } from './part-request.ts';
import type { PartOwner, PartRequestDeps } from './part-request.ts';

/** Parts of one call that are under way at the same time, inside the App's limit. */
const PARTS_AT_ONCE = 8;
const RESULT = '"result":';

/** The parts of a call whose range no upstream reads at once; `null` for any other. */
export function logsParts(live: LiveRoute, request: JsonRpcRequest): readonly BlockRange[] | null {
  const { logs } = live.route.reads;
  if (logs === null || logs.splitInto < 2 || request.batch) return null;
  return splitLogs(request, logs, knownRange(live));
}

/** Half of the range that the best upstream has refused: whether it reads one block less is not known. */
function knownRange({ upstreams }: LiveRoute): number | null {
  const now = performance.now();
  const refused = Math.max(...upstreams.map(({ abilities }) => abilities.refusedRange(now)));
  return refused === Infinity ? null : Math.max(1, Math.floor(refused / 2));
}

/** A call of `eth_getLogs` in parts, whose answers are joined in the order of their blocks. */
export class SplitLogs implements JoinedRequest, PartOwner {
  readonly requestSent = true;
  readonly #deps: PartRequestDeps;
  readonly #context: RequestContext;
  readonly #live: LiveRoute;
  readonly #rules: LogRules;
  readonly #request: JsonRpcRequest;
  readonly #closing = new AbortController();
  #owner: JoinedOwner | null = null;
  #parts: readonly BlockRange[];
  #anchor: BranchAnchor | null = null;
  readonly #running = new Set<PartRequest>();
  /** The places in the App's concurrency that parts have beside that of the call. */
  #places = 0;
  #begun = 0;
  /** The logs of each part, as text without the brackets. */
  readonly #texts = new Map<number, string>();
  readonly #counts = new Map<number, number>();
  readonly #answered = new Set<Upstream>();
  #results = 0;
  #bytes = 0;
  #executed = false;
  #over = false;

  constructor(
    deps: PartRequestDeps,
    context: RequestContext,
    live: LiveRoute,
    request: JsonRpcRequest,
    parts: readonly BlockRange[],
  ) {
    this.#deps = deps;
    this.#context = context;
    this.#live = live;
    this.#rules = live.route.reads.logs as LogRules;
    this.#request = request;
    this.#parts = parts;
  }

  start(owner: JoinedOwner): void {
    this.#owner = owner;
    const last = this.#parts.at(-1) as BlockRange;
    if (isFinal(this.#live, last.to)) this.#goOn();
    else this.#anchorAt(last.to).catch((error: unknown) => this.abort(error));
  }

  cancel(): void {
    this.#end();
  }

  expire(): void {
    this.#end();
  }

  resume(): void {
    // Nothing is passed on before all of it is there.
  }

  abort(error: unknown): void {
    this.#end();
    this.#owner?.abort(error);
  }

  onPartProgress(): void {
    this.#owner?.onResponseProgress();
  }

  onPartAnswer(part: PartRequest, answer: string): void {
    this.#leave(part);
    this.#executed ||= !part.unanswered;
    if (part.upstream !== null) this.#answered.add(part.upstream);
    const logs = answer.startsWith(RESULT) ? elementsOf(answer.slice(RESULT.length)) : null;
    if (logs === null) {
      // An error, or what no node should answer: it is passed on as it is.
      this.#answer(answer);
      return;
    }
    const text = logs.join(',');
    const index = this.#parts.indexOf(part.range);
    this.#texts.set(index, text);
    this.#counts.set(index, logs.length);
    this.#results += logs.length;
    if (this.#results > this.#rules.maxResults) this.#answer(this.#tooMany(`${this.#rules.maxResults} logs`));
    else if (this.#bytes + text.length > MAX_PART_BYTES || !this.#deps.budget.take(text.length))
      this.#answer(this.#tooMany(`${MAX_PART_BYTES} bytes`));
    else {
      this.#bytes += text.length;
      this.#goOn();
    }
  }

  onPartRefused(part: PartRequest, refusal: Refusal): void {
    this.#leave(part);
    this.#executed ||= !part.unanswered;
    this.#refuse(refusal);
  }

  /** What is not final is read from upstreams on one branch, up to a block that they all have. */
  async #anchorAt(last: number): Promise<void> {
    const anchor = await findAnchor(this.#live, last, this.#signal());
    if (this.#over) return;
    if (anchor === null) {
      this.#refuse(refuse('upstream_unavailable', { status: 503, retryAfterSeconds: 1 }));
      return;
    }
    this.#anchor = anchor;
    this.#parts = this.#parts
      .filter(({ from }) => from <= anchor.block)
      .map(({ from, to }) => ({ from, to: Math.min(to, anchor.block) }));
    this.#goOn();
  }

  /** Begins parts as far as they have places, and ends with the last one. */
  #goOn(): void {
    while (!this.#over && this.#begun < this.#parts.length && this.#mayBegin()) this.#begin();
    if (this.#over || this.#texts.size < this.#parts.length) return;
    this.#complete().catch((error: unknown) => this.abort(error));
  }

  #mayBegin(): boolean {
    if (this.#running.size === 0) return true;
    if (this.#running.size >= PARTS_AT_ONCE) return false;
    const { use, limits } = this.#context;
    if (use === null) return true;
    if (use.checkConcurrency(limits) !== null) return false;
    use.enter();
    this.#places += 1;
    return true;
  }

  #begin(): void {
    const range = this.#parts[this.#begun] as BlockRange;
    this.#begun += 1;
    const upstreams = this.#anchor?.upstreams ?? this.#live.upstreams;
    const part = new PartRequest(this.#deps, this, {
      context: this.#context,
      live: { ...this.#live, upstreams },
      request: partRequest(this.#request, range),
      range,
      // An equal call may have been sent to an upstream on another branch.
      shares: this.#anchor === null,
    });
    this.#running.add(part);
    part.start();
  }

  #leave(part: PartRequest): void {
    this.#running.delete(part);
    if (this.#places === 0) return;
    this.#places -= 1;
    this.#context.use?.leave();
  }

  async #complete(): Promise<void> {
    const anchor = this.#anchor;
    if (anchor !== null && !(await holds(anchor, this.#answered, this.#signal()))) {
      if (!this.#over) this.#refuse(refuse('upstream_unavailable', REORGANISED));
      return;
    }
    if (this.#over) return;
    const texts = this.#parts.map((_part, index) => this.#texts.get(index) ?? '');
    this.#answer(`${RESULT}[${texts.filter((text) => text !== '').join(',')}]`);
  }

  #answer(answer: string): void {
    if (this.#over) return;
    this.#end();
    this.#owner?.onJoinedResponse(Buffer.from(replyWith(answer, this.#request.ids[0] as string)));
  }

  #refuse(refusal: Refusal): void {
    if (this.#over) return;
    const executed = this.#executed || this.#running.size > 0;
    this.#end();
    this.#owner?.onUnjoined(refusal, executed);
  }

  /** The longest range from the start that is known to be within the limit, or half of the first part. */
  #tooMany(limit: string): string {
    const [first] = this.#parts as [BlockRange, ...BlockRange[]];
    let to = first.from + Math.max(0, Math.floor((first.to - first.from + 1) / 2) - 1);
    let sum = 0;
    for (const [index, part] of this.#parts.entries()) {
      sum += this.#counts.get(index) ?? Infinity;
      if (sum > this.#rules.maxResults || !this.#texts.has(index)) break;
      to = part.to;
    }
    return tooManyLogs(limit, { from: first.from, to });
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#closing.abort();
    for (const part of this.#running) part.cancel();
    this.#running.clear();
    for (; this.#places > 0; this.#places--) this.#context.use?.leave();
    this.#deps.budget.give(this.#bytes);
    this.#texts.clear();
  }

  #signal(): AbortSignal {
    const { connectMs, firstByteMs } = this.#live.route.timeouts;
    return AbortSignal.any([this.#closing.signal, AbortSignal.timeout(connectMs + firstByteMs)]);
  }
}

const REORGANISED = {
  status: 503,
  message: 'The chain was reorganised while the logs were read; try again.',
  retryAfterSeconds: 1,
} as const;
