import { guarded, guardMethods } from '../guard-methods.ts';
import type { Abortable } from '../guard-methods.ts';
import type {
  OutgoingRequest,
  PendingResponse,
  UpstreamFailure,
  UpstreamRequest,
  UpstreamResponseHandler,
} from '../upstream-request.ts';
import type { Upstream } from '../upstream.ts';

/** How the second request of a read ended: it answered first, the first one did, or neither. */
export type HedgeOutcome = 'won' | 'lost' | 'unanswered';

/** The request that a {@link HedgedRequest} is sent for. `RequestForwarder` implements it. */
export interface HedgeOwner extends Abortable {
  newRequest(upstream: Upstream, handler: UpstreamResponseHandler): UpstreamRequest;
  /** The request as it is sent to an upstream. */
  outgoing(upstream: Upstream): OutgoingRequest;
  /** What takes the response of an upstream. */
  handlerOf(upstream: Upstream): UpstreamResponseHandler;
  /** A second upstream that may be asked now; `null` for none. It counts as asked. */
  second(): Upstream | null;
  /** One of two failed, while the other may still answer. */
  onOneFailed(upstream: Upstream, reason: string): void;
  /**
   * Nothing more comes from two that were asked but what `upstream` reports.
   *
   * @param failed - the other one, where it has failed and not only been slower
   */
  onHedgeEnded(upstream: Upstream, failed: Upstream | null, outcome: HedgeOutcome): void;
}

/** Statuses of an upstream that does not answer the request itself; the other one may. */
const NO_ANSWER: ReadonlySet<number> = new Set([401, 407, 429, 502, 503, 504]);

/**
 * A read that is sent to a second upstream too when the first one has not begun to answer after some time. What the first good
 * answer's upstream reports is passed on, from its head to its end, and nothing of the other one, whose request is cancelled.
 */
export class HedgedRequest implements PendingResponse, Abortable {
  readonly #owner: HedgeOwner;
  readonly #first: Upstream;
  readonly #timer: NodeJS.Timeout;
  /** Those that may still answer. */
  #running: readonly Leg[] = [];
  /** The one that connected first: the time limit is its own. */
  #timed: Leg | null = null;
  #failed: Upstream | null = null;
  #failedSent = false;
  #hedged = false;
  #ended = false;

  constructor(owner: HedgeOwner, first: Upstream, afterMs: number) {
    this.#owner = owner;
    this.#first = first;
    this.#timer = setTimeout(
      guarded(this, () => this.#hedge()),
      afterMs,
    ).unref();
  }

  start(): void {
    this.#send(this.#first);
  }

  get requestSent(): boolean {
    return this.#failedSent || this.#running.some(({ request }) => request.requestSent);
  }

  cancel(): void {
    this.#end(this.#running[0], 'unanswered');
    for (const { request } of this.#running) request.cancel();
  }

  expire(): void {
    const late = this.#running.find((leg) => leg === this.#timed) ?? this.#running[0];
    this.#end(late, 'unanswered');
    // The other one has had less time.
    for (const leg of this.#running)
      if (leg === late) leg.request.expire();
      else leg.request.outpace();
  }

  resume(): void {
    for (const { request } of this.#running) request.resume();
  }

  abort(error: unknown): void {
    this.#owner.abort(error);
  }

  // ---- called by the legs

  onConnect(leg: Leg): void {
    // The second one does not get more time than the first had.
    if (this.#timed !== null) return;
    this.#timed = leg;
    leg.handler.onUpstreamConnect();
  }

  /** @returns whether the response is passed on */
  onStatus(leg: Leg, status: number): boolean {
    const answers = !NO_ANSWER.has(status);
    if (!answers && this.#running.length > 1) {
      leg.request.cancel();
      this.#drop(leg, String(status), true);
      return false;
    }
    for (const { request } of this.#running) if (request !== leg.request) request.outpace();
    this.#running = [leg];
    this.#end(leg, !answers ? 'unanswered' : leg.upstream === this.#first ? 'lost' : 'won');
    return true;
  }

  onError(leg: Leg, { reason, requestSent }: UpstreamFailure): void {
    if (this.#running.length > 1) {
      this.#drop(leg, reason, requestSent);
      return;
    }
    this.#end(leg, 'unanswered');
    leg.handler.onResponseError({ reason, requestSent: requestSent || this.#failedSent });
  }

  #hedge(): void {
    const upstream = this.#owner.second();
    if (upstream === null) return;
    this.#hedged = true;
    this.#send(upstream);
  }

  #send(upstream: Upstream): void {
    const leg = new Leg(this, this.#owner, upstream);
    this.#running = [...this.#running, leg];
    leg.request.start(this.#owner.outgoing(upstream));
  }

  #drop(leg: Leg, reason: string, requestSent: boolean): void {
    this.#running = this.#running.filter((each) => each !== leg);
    this.#failed = leg.upstream;
    this.#failedSent ||= requestSent;
    this.#owner.onOneFailed(leg.upstream, reason);
  }

  /** No second request is sent any more, and how the one that was ended is known. */
  #end(leg: Leg | undefined, outcome: HedgeOutcome): void {
    clearTimeout(this.#timer);
    if (this.#ended) return;
    this.#ended = true;
    const other = this.#running.find((each) => each !== leg)?.upstream ?? this.#failed;
    if (this.#hedged && leg !== undefined) this.#owner.onHedgeEnded(leg.upstream, other, outcome);
  }
}

/** One of the two requests. */
class Leg implements UpstreamResponseHandler, Abortable {
  readonly upstream: Upstream;
  readonly handler: UpstreamResponseHandler;
  readonly request: UpstreamRequest;
  readonly #hedged: HedgedRequest;

  constructor(hedged: HedgedRequest, owner: HedgeOwner, upstream: Upstream) {
    this.#hedged = hedged;
    this.upstream = upstream;
    this.handler = owner.handlerOf(upstream);
    this.request = owner.newRequest(upstream, this);
  }

  onUpstreamConnect(): void {
    this.#hedged.onConnect(this);
  }

  onResponseHeaders(status: number, fields: readonly string[], length: string | null): void {
    if (this.#hedged.onStatus(this, status)) this.handler.onResponseHeaders(status, fields, length);
  }

  // What follows comes from the one alone whose head was passed on: the other's request is over by then.

  onResponseData(chunk: Buffer): boolean {
    return this.handler.onResponseData(chunk);
  }

  onResponseIdle(): void {
    this.handler.onResponseIdle();
  }

  get retainsChunks(): boolean {
    return this.handler.retainsChunks;
  }

  onResponseEnd(): void {
    this.handler.onResponseEnd();
  }

  onResponseError(failure: UpstreamFailure): void {
    this.#hedged.onError(this, failure);
  }

  abort(error: unknown): void {
    this.#hedged.abort(error);
  }
}

guardMethods(Leg, ['onUpstreamConnect', 'onResponseHeaders', 'onResponseError']);
