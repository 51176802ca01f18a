import { NEWEST_BLOCK, nextUpstream, secondUpstream } from './live-route.ts';
import type { LiveRoute } from './live-route.ts';
import type { Upstream } from './upstream.ts';

const MAX_ATTEMPTS = 3;
const NONE: readonly Upstream[] = [];

/** Which upstreams one request was sent to, and whether another one may be asked. */
export class UpstreamAttempts {
  /** True if another upstream may be asked although this one may have carried out the request. */
  idempotent = false;
  /** The number of the block that it needs. */
  block = NEWEST_BLOCK;
  /** The upstream that was asked last, or of two that were asked at the same time the one that is heard. */
  upstream: Upstream | null = null;
  #count = 0;
  /** Those that were asked before the last one: most requests need no list. */
  #former = NONE;

  /** The first upstream; `null` when all are down. */
  first(live: LiveRoute): Upstream | null {
    return this.#use(nextUpstream(live, NONE, this.block));
  }

  /**
   * Another upstream after one failed, if the request cannot have been carried out, or may be repeated.
   *
   * @param requestSent - the former upstream may have received the request
   */
  another(live: LiveRoute, requestSent: boolean): Upstream | null {
    if ((requestSent && !this.idempotent) || this.#count >= MAX_ATTEMPTS) return null;
    // A kept connection may close just as it is used again: even the only upstream is asked once more.
    const again = requestSent && this.#count === 1 && live.upstreams.length === 1;
    return this.#use(nextUpstream(live, again ? NONE : this.#tried(), this.block));
  }

  /** True if an upstream that has not been asked could answer in place of the last one. */
  mayAskAnother(live: LiveRoute): boolean {
    return this.idempotent && this.#count < MAX_ATTEMPTS && nextUpstream(live, this.#tried(), this.block) !== null;
  }

  /** True while the request may be sent to a second upstream beside the first one. */
  get mayHedge(): boolean {
    return this.idempotent && this.#count === 1;
  }

  /** A second upstream to ask beside the first one; `null` when none may be asked in its place. It is not asked yet. */
  second(live: LiveRoute): Upstream | null {
    return this.upstream === null ? null : secondUpstream(live, this.upstream, this.block);
  }

  /** A second upstream is asked beside the first one. */
  hedged(second: Upstream): void {
    this.#use(second);
  }

  /** Of the two the one that is heard. @param failed - the other one, where it is not to be asked again */
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
