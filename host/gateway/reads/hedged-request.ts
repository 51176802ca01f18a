import { faultOfStatus } from '../../../core/index.ts';
import { guarded, guardMethods } from '../guard-methods.ts';
import type { Abortable } from '../guard-methods.ts';
import type {
  Judgeable,
  OutgoingRequest,
  PendingResponse,
  UpstreamFailure,
  UpstreamRequest,
  UpstreamResponseHandler,
} from '../upstream-request.ts';
import type { Upstream } from '../upstream.ts';

/** The outcome of a read's second request: it answered first, the first one did, or neither. */
export type HedgeOutcome = 'won' | 'lost' | 'unanswered';

/** The request that a {@link HedgedRequest} is sent for. `RequestForwarder` implements it. */
export interface HedgeOwner extends Abortable {
  newRequest(upstream: Upstream, handler: UpstreamResponseHandler): UpstreamRequest;
  /** Builds the request for an upstream. */
  outgoing(upstream: Upstream): OutgoingRequest;
  /** Returns the handler for an upstream's response. */
  handlerOf(upstream: Upstream): UpstreamResponseHandler;
  /** Chooses a second upstream and marks it as tried; `null` for none. */
  second(): Upstream | null;
  /** One of the two requests failed, while the other may still answer. */
  onOneFailed(upstream: Upstream, reason: string): void;
  /**
   * From now on only the events of `upstream` are reported.
   *
   * @param failed - the other upstream, if it failed and was not merely slower
   */
  onHedgeEnded(upstream: Upstream, failed: Upstream | null, outcome: HedgeOutcome): void;
}

/**
 * A read that is also sent to a second upstream when the first one has not begun to answer after some time. The first
 * good response is passed on from its head to its end; the other request is cancelled and nothing of it is passed on.
 */
export class HedgedRequest implements PendingResponse, Abortable {
  readonly #owner: HedgeOwner;
  readonly #first: Upstream;
  readonly #timer: NodeJS.Timeout;
  /** The requests that may still answer. */
  #running: readonly Leg[] = [];
  /** The request that connected first, which sets the time limit. */
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
    // The second request was sent later, so only the first one counts as unanswered.
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
    // The second request does not get more time than the first had.
    if (this.#timed !== null) return;
    this.#timed = leg;
    leg.handler.onUpstreamConnect();
  }

  /** @returns whether the response is passed on */
  onStatus(leg: Leg, status: number): boolean {
    const answers = faultOfStatus(status, true) === null;
    if (!answers && this.#running.length > 1) {
      leg.request.judged('erred');
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

  /** Prevents a second request and records the outcome of one that was sent. */
  #end(leg: Leg | undefined, outcome: HedgeOutcome): void {
    clearTimeout(this.#timer);
    if (this.#ended) return;
    this.#ended = true;
    const other = this.#running.find((each) => each !== leg)?.upstream ?? this.#failed;
    if (this.#hedged && leg !== undefined) this.#owner.onHedgeEnded(leg.upstream, other, outcome);
  }
}

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

  onResponseHeaders(
    status: number,
    fields: readonly string[],
    length: string | null,
    request: Judgeable,
  ): boolean | void {
    return this.#hedged.onStatus(this, status) && this.handler.onResponseHeaders(status, fields, length, request);
  }

  // Only the request whose head was passed on still reports: the other one is over by then.

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
