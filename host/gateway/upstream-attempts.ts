import { performance } from 'node:perf_hooks';
import { ANYTHING, NEWEST_BLOCK, nextUpstream, secondUpstream } from './live-route.ts';
import { hasReached, newestShown } from '../../core/index.ts';
import type { Need, RequestBudget } from '../../core/index.ts';
import type { LiveRoute } from './live-route.ts';
import type { Upstream } from './upstream.ts';

const NONE: readonly Upstream[] = [];

/** Whether a single upstream is in use. */
const isOnlyOne = (upstreams: readonly Upstream[]): boolean =>
  upstreams.filter(({ cordoned }) => !cordoned).length === 1;

/** The upstreams that one request was sent to, and whether another one may be tried. */
export class UpstreamAttempts {
  /** True if another upstream may be tried although this one may have executed the request. */
  idempotent = false;
  need: Need = ANYTHING;
  /** Of the App, where its reads of the newest block stay with one upstream; otherwise `null`. */
  spread: number | null = null;
  /** The upstream that was tried last, or of two simultaneous ones the one whose response is used. */
  upstream: Upstream | null = null;
  #count = 0;
  /** The upstreams tried before the last one: most requests need no list. */
  #former = NONE;

  first(live: LiveRoute): Upstream | null {
    live.retries.count();
    live.detours.count();
    return this.#use(this.#choose(live, NONE));
  }

  /**
   * Another upstream after one failed, if the request cannot have been executed or may be repeated.
   *
   * @param requestSent - whether the failed upstream may have received the request
   */
  another(live: LiveRoute, requestSent: boolean): Upstream | null {
    if (!this.mayGoOn(requestSent)) return null;
    // A keep-alive connection may close just as it is reused, so even the only upstream is tried a second time.
    const again = requestSent && this.#count === 1 && isOnlyOne(live.upstreams);
    return this.#use(this.#choose(live, again ? NONE : this.#tried()));
  }

  /**
   * An untried upstream that may answer in place of the last one, which has not; `null` for none.
   *
   * @param executed - whether the last one may have executed the request all the same
   * @param budget - of what the request goes on
   */
  instead(live: LiveRoute, executed: boolean, budget: RequestBudget): Upstream | null {
    if (!this.mayGoOn(executed)) return null;
    const tried = this.#tried();
    if (tried.length >= live.upstreams.length) return null;
    const next = this.#choose(live, tried);
    const lacks = next?.abilities.lacks(this.need, performance.now()) === true;
    return next === null || lacks || !budget.take() ? null : this.#use(next);
  }

  /** True once a second upstream was asked. */
  get several(): boolean {
    return this.#count > 1;
  }

  /** True if another upstream may be asked. @param executed - whether one may have executed the request already */
  mayGoOn(executed: boolean): boolean {
    return !executed || this.idempotent;
  }

  /** True if the request may be sent to a second upstream beside the first one. */
  get mayHedge(): boolean {
    return this.idempotent && this.#count === 1;
  }

  /** A second upstream to use beside the first one, not marked as tried; `null` when none is suitable. */
  second(live: LiveRoute): Upstream | null {
    return this.upstream === null ? null : secondUpstream(live, this.upstream, this.need, this.spread);
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

  /** Untried upstreams that serve, but are not known to have the block that was answered already. */
  behind(live: LiveRoute): readonly Upstream[] {
    if (this.spread === null || this.need.block !== NEWEST_BLOCK) return NONE;
    const now = performance.now();
    const [tried, block] = [this.#tried(), newestShown(live.upstreams, now)];
    return live.upstreams.filter(
      (upstream) =>
        !upstream.cordoned &&
        !tried.includes(upstream) &&
        upstream.health.state(now) === 'up' &&
        !hasReached(upstream, block),
    );
  }

  /** Uses an upstream that has caught up. */
  use(upstream: Upstream): void {
    this.#use(upstream);
  }

  #choose(live: LiveRoute, excluded: readonly Upstream[]): Upstream | null {
    return nextUpstream(live, excluded, this.need, this.spread);
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
