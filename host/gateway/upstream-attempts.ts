import { performance } from 'node:perf_hooks';
import { ANYTHING, nextUpstream, secondUpstream } from './live-route.ts';
import type { Need, RequestBudget } from '../../core/index.ts';
import type { LiveRoute } from './live-route.ts';
import type { Upstream } from './upstream.ts';

const NONE: readonly Upstream[] = [];

/** The upstreams that one request was sent to, and whether another one may be tried. */
export class UpstreamAttempts {
  /** True if another upstream may be tried although this one may have executed the request. */
  idempotent = false;
  need: Need = ANYTHING;
  /** The upstream that was tried last, or of two simultaneous ones the one whose response is used. */
  upstream: Upstream | null = null;
  #count = 0;
  /** The upstreams tried before the last one: most requests need no list. */
  #former = NONE;

  first(live: LiveRoute): Upstream | null {
    live.retries.count();
    live.detours.count();
    return this.#use(nextUpstream(live, NONE, this.need));
  }

  /**
   * Another upstream after one failed, if the request cannot have been executed or may be repeated.
   *
   * @param requestSent - whether the failed upstream may have received the request
   */
  another(live: LiveRoute, requestSent: boolean): Upstream | null {
    if (requestSent && !this.idempotent) return null;
    // A keep-alive connection may close just as it is reused, so even the only upstream is tried a second time.
    const again = requestSent && this.#count === 1 && live.upstreams.length === 1;
    return this.#use(nextUpstream(live, again ? NONE : this.#tried(), this.need));
  }

  /**
   * An untried upstream that may answer in place of the last one, which has not; `null` for none.
   *
   * @param executed - whether the last one may have executed the request all the same
   * @param budget - of what the request goes on
   */
  instead(live: LiveRoute, executed: boolean, budget: RequestBudget): Upstream | null {
    if (executed && !this.idempotent) return null;
    const tried = this.#tried();
    if (tried.length >= live.upstreams.length) return null;
    const next = nextUpstream(live, tried, this.need);
    const lacks = next?.abilities.lacks(this.need, performance.now()) === true;
    return next === null || lacks || !budget.take() ? null : this.#use(next);
  }

  /** True if the request may be sent to a second upstream beside the first one. */
  get mayHedge(): boolean {
    return this.idempotent && this.#count === 1;
  }

  /** A second upstream to use beside the first one, not marked as tried; `null` when none is suitable. */
  second(live: LiveRoute): Upstream | null {
    return this.upstream === null ? null : secondUpstream(live, this.upstream, this.need);
  }

  /** Marks a second upstream as tried beside the first one. */
  hedged(second: Upstream): void {
    this.#use(second);
  }

  /** Sets the upstream whose response is used. @param failed - the other one, if it must not be tried again */
  heard(upstream: Upstream, failed: Upstream | null): void {
    this.upstream = upstream;
    this.#former = failed === null ? NONE : [failed];
  }

  #use(next: Upstream | null): Upstream | null {
    if (next === null) return null;
    if (this.upstream !== null) this.#former = this.#tried();
    this.#count += 1;
    this.upstream = next;
    return next;
  }

  #tried(): readonly Upstream[] {
    return this.upstream === null ? this.#former : [...this.#former, this.upstream];
  }
}
