import type { Millis } from '../kernel/time.ts';

/** What is known of an upstream: it serves, it does not, or one request may find out. */
export type UpstreamState = 'up' | 'down' | 'trial';

/** So many failures to connect in a row open the circuit. */
const FAILURES_TO_OPEN = 5;
/** So many failed health checks in a row do; one does when no request and no check ever succeeded. */
const CHECKS_TO_OPEN = 2;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** The weight of the newest latency in the average. */
const WEIGHT = 0.2;

/**
 * One upstream's circuit breaker, latency and chain head. Failures to connect, and failed health checks, open the circuit: what a
 * request runs into once it was sent may be its own fault, and one App must not take the upstream from the others (decisions,
 * section 13). After a pause, which doubles each time, one request is let through; a success of it, or of a health check, closes the
 * circuit.
 */
export class UpstreamHealth {
  #failures = 0;
  #failedChecks = 0;
  #proven = false;
  #openUntil: Millis | null = null;
  #pauseMs = FIRST_PAUSE_MS;
  #trying = false;
  #latencyMs = 0;
  #running = 0;
  #head: number | null = null;

  state(now: Millis): UpstreamState {
    if (this.#openUntil === null) return 'up';
    return now >= this.#openUntil && !this.#trying ? 'trial' : 'down';
  }

  /** The number of its newest block; `null` when it is not known. */
  get head(): number | null {
    return this.#head;
  }

  /** What one more request may have to wait: the lower the better. */
  get cost(): number {
    return (this.#latencyMs + 1) * (this.#running + 1);
  }

  /** A request is sent. */
  started(now: Millis): void {
    this.#running += 1;
    if (this.state(now) === 'trial') this.#trying = true;
  }

  /** It began to answer. */
  succeeded(tookMs: number): void {
    this.#running -= 1;
    this.#latencyMs = this.#latencyMs === 0 ? tookMs : this.#latencyMs + WEIGHT * (tookMs - this.#latencyMs);
    this.#close();
  }

  /** No connection could be made for it. */
  failed(now: Millis): void {
    this.#running -= 1;
    this.#failures += 1;
    if (this.#openUntil !== null || this.#failures >= FAILURES_TO_OPEN) this.#open(now);
  }

  /** It came to nothing that says whether the upstream serves. */
  abandoned(): void {
    this.#running -= 1;
    this.#trying = false;
  }

  /** A health check succeeded, perhaps with the chain's head. */
  checked(head: number | null): void {
    this.#head = head;
    this.#close();
  }

  checkFailed(now: Millis): void {
    this.#failedChecks += 1;
    this.#head = null;
    if (!this.#proven || this.#openUntil !== null || this.#failedChecks >= CHECKS_TO_OPEN) this.#open(now);
  }

  #open(now: Millis): void {
    this.#openUntil = now + this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
    this.#trying = false;
  }

  #close(): void {
    this.#proven = true;
    this.#failures = 0;
    this.#failedChecks = 0;
    this.#openUntil = null;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#trying = false;
  }
}

/** Something that can be chosen by its health. */
export interface Choosable {
  readonly health: UpstreamHealth;
}

/**
 * The upstream for the next request: of two drawn at random the one that costs less, among those that serve and whose
 * chain is not behind (`maxLag` in blocks); then among those that serve; then one whose turn it is to be tried. `draw`
 * gives a whole number from 0 to below the given one.
 *
 * @returns `null` when none is known to be up
 */
export function chooseUpstream<T extends Choosable>(
  upstreams: readonly T[],
  excluded: readonly T[],
  { now, maxLag, draw }: { readonly now: Millis; readonly maxLag: number; readonly draw: (below: number) => number },
): T | null {
  const left = excluded.length === 0 ? upstreams : upstreams.filter((upstream) => !excluded.includes(upstream));
  const [only] = left;
  if (only !== undefined && left.length === 1) return only.health.state(now) === 'down' ? null : only;
  const up = left.filter(({ health }) => health.state(now) === 'up');
  if (up.length === 0) return left.find(({ health }) => health.state(now) === 'trial') ?? null;
  const foremost = Math.max(...up.map(({ health }) => health.head ?? 0));
  const abreast = up.filter(({ health }) => health.head === null || health.head >= foremost - maxLag);
  const first = draw(abreast.length);
  const second = (first + 1 + draw(Math.max(1, abreast.length - 1))) % abreast.length;
  const [a, b] = [abreast[first] as T, abreast[second] as T];
  return b.health.cost < a.health.cost ? b : a;
}
