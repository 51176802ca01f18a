import { performance } from 'node:perf_hooks';
import { hasReached, newestShown } from '../../../core/index.ts';
import { guarded } from '../guard-methods.ts';
import type { Abortable } from '../guard-methods.ts';
import { headOf } from '../health-checks.ts';
import type { LiveRoute } from '../live-route.ts';
import type { PendingResponse } from '../upstream-request.ts';
import type { Upstream } from '../upstream.ts';

/** The time between two questions to one upstream, in milliseconds. */
const PAUSE_MS = 200;
const TIMEOUT_MS = 2_000;
/** Questions in flight: all requests that wait for an upstream share one. */
const asked = new WeakMap<Upstream, Promise<void>>();

/**
 * A read that waits until one of several upstreams has the newest block that was answered already. Only the end of an
 * upstream that was ahead brings this about.
 */
export class BlockWait implements PendingResponse {
  readonly requestSent = false;
  readonly #owner: Abortable;
  readonly #upstreams: readonly Upstream[];
  readonly #live: LiveRoute;
  readonly #found: (upstream: Upstream) => void;
  #over = false;

  /** @param found - called at most once, and not after `cancel` or `expire` */
  constructor(owner: Abortable, upstreams: readonly Upstream[], live: LiveRoute, found: (upstream: Upstream) => void) {
    this.#owner = owner;
    this.#upstreams = upstreams;
    this.#live = live;
    this.#found = found;
  }

  start(): void {
    for (const upstream of this.#upstreams) this.#ask(upstream);
  }

  cancel(): void {
    this.#over = true;
  }

  expire(): void {
    this.#over = true;
  }

  resume(): void {
    // Nothing of an answer is here that could be paused.
  }

  #ask(upstream: Upstream): void {
    if (this.#over) return;
    const answered = guarded(this.#owner, () => this.#answered(upstream));
    void refreshed(this.#live, upstream).then(answered);
  }

  #answered(upstream: Upstream): void {
    if (this.#over) return;
    const now = performance.now();
    if (upstream.health.state(now) === 'up' && hasReached(upstream, newestShown(this.#live.upstreams, now))) {
      this.#over = true;
      this.#found(upstream);
      return;
    }
    setTimeout(() => this.#ask(upstream), PAUSE_MS).unref();
  }
}

/** Reads the newest block of an upstream. An upstream that does not answer has none. */
function refreshed(live: LiveRoute, upstream: Upstream): Promise<void> {
  const running = asked.get(upstream);
  if (running !== undefined) return running;
  const askedAt = performance.now();
  const answer = headOf(live, upstream, AbortSignal.timeout(TIMEOUT_MS)).then(
    (head) => upstream.checked(head, askedAt),
    () => undefined,
  );
  const done = answer.finally(() => asked.delete(upstream));
  asked.set(upstream, done);
  return done;
}
