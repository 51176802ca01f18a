import type { Millis } from '../kernel/time.ts';

/** What is known of an upstream: it serves, it does not, or one request may find out. */
export type UpstreamState = 'up' | 'down' | 'trial';

/** An upstream as one instance sees it. */
export interface UpstreamView {
  readonly state: UpstreamState;
  /** The number of its newest block; `null` when it is not known. */
  readonly head: number | null;
  /** How many blocks it is behind the foremost upstream of its route; `null` when its head is not known. */
  readonly lagBlocks: number | null;
  /** Moving averages of the latest requests; `null` before the first one. */
  readonly latencyMs: number | null;
  /** From 0 to 1. */
  readonly errorRate: number | null;
}

/** So many failures to connect in a row open the circuit. */
const FAILURES_TO_OPEN = 5;
/** So many failed health checks in a row do; one does when no request and no check ever succeeded. */
const CHECKS_TO_OPEN = 2;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** The weight of the newest request in the averages. */
const WEIGHT = 0.2;
/** What was measured counts half after so long, so that an upstream that was slow once is tried again. */
const HALF_LIFE_MS = 5_000;
/** An upstream that answers nothing but errors costs as much as one that takes so much longer. */
const ERROR_COST_MS = 1_000;

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
  /** Both as they were at `#measuredAt`. */
  #latencyMs = 0;
  #errors = 0;
  #measuredAt: Millis = 0;
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

  /** What is shown of it. @param foremost - the newest block that an upstream of its route has; `null` when none is known */
  view(now: Millis, foremost: number | null): UpstreamView {
    const measured = this.#measuredAt > 0;
    return {
      state: this.state(now),
      head: this.#head,
      lagBlocks: this.#head === null ? null : Math.max(0, (foremost ?? this.#head) - this.#head),
      latencyMs: measured ? this.#latencyMs : null,
      errorRate: measured ? this.#errors : null,
    };
  }

  /** What one more request may have to wait, by the latest latencies and errors: the lower the better. */
  cost(now: Millis): number {
    const waitMs = (this.#latencyMs + ERROR_COST_MS * this.#errors) * this.#faded(now);
    return (waitMs + 1) * (this.#running + 1);
  }

  /** A request is sent. */
  started(now: Millis): void {
    this.#running += 1;
    if (this.state(now) === 'trial') this.#trying = true;
  }

  /** It began to answer. */
  succeeded(tookMs: number, now: Millis): void {
    this.#running -= 1;
    this.#measure(tookMs, 0, now);
    this.#close();
  }

  /**
   * It was sent, and answered by an error of the server or not at all. That may be the request's own fault: it only counts
   * where there is a choice between upstreams.
   */
  erred(tookMs: number, now: Millis): void {
    this.#running -= 1;
    this.#trying = false;
    this.#measure(Math.max(tookMs, this.#latencyMs), 1, now);
  }

  /** Another upstream was quicker: it would have taken at least so long, and that is no error. */
  outpaced(tookMs: number, now: Millis): void {
    this.#running -= 1;
    this.#trying = false;
    const faded = this.#faded(now);
    this.#measure(Math.max(tookMs, this.#latencyMs * faded), this.#errors * faded, now);
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

  /** @param error - 1 for an error, 0 for none; what is known already where it is neither */
  #measure(tookMs: number, error: number, now: Millis): void {
    const faded = this.#faded(now);
    const latencyMs = this.#latencyMs * faded;
    this.#latencyMs = this.#latencyMs === 0 ? tookMs : latencyMs + WEIGHT * (tookMs - latencyMs);
    this.#errors = this.#errors * faded + WEIGHT * (error - this.#errors * faded);
    this.#measuredAt = now;
  }

  #faded(now: Millis): number {
    return 2 ** ((this.#measuredAt - now) / HALF_LIFE_MS);
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

/** What {@link chooseUpstream} goes by. */
export interface Choice {
  readonly now: Millis;
  /** The block that the request needs; `Infinity` for the newest one. */
  readonly block: number;
  /** How many blocks an upstream may be behind the foremost one for a request of an older block. */
  readonly maxLag: number;
  /** The same for a request of the newest block. */
  readonly headLag: number;
  /** A whole number from 0 to below the given one, at random. */
  readonly draw: (below: number) => number;
}

/**
 * The upstream for the next request: of two drawn at random the one that costs less, among those that serve and have the
 * block that it needs; then among those that serve; then one whose turn it is to be tried.
 *
 * @returns `null` when none is known to be up
 */
export function chooseUpstream<T extends Choosable>(
  upstreams: readonly T[],
  excluded: readonly T[],
  choice: Choice,
): T | null {
  const { now } = choice;
  const left = excluded.length === 0 ? upstreams : upstreams.filter((upstream) => !excluded.includes(upstream));
  const [only] = left;
  if (only !== undefined && left.length === 1) return only.health.state(now) === 'down' ? null : only;
  const up = left.filter(({ health }) => health.state(now) === 'up');
  if (up.length === 0) return left.find(({ health }) => health.state(now) === 'trial') ?? null;
  return cheaperOfTwo(thatHave(up, choice), choice);
}

/**
 * A second upstream for a read that the first one is slow to answer, chosen in the same way: but only one that serves and could
 * have been the first, for nobody is to get an older answer because of it.
 *
 * @returns `null` when there is none
 */
export function chooseSecond<T extends Choosable>(upstreams: readonly T[], first: T, choice: Choice): T | null {
  const up = upstreams.filter(({ health }) => health.state(choice.now) === 'up');
  const others = thatHave(up, choice).filter((upstream) => upstream !== first);
  return others.length === 0 ? null : cheaperOfTwo(others, choice);
}

/** Those that have the block, as far as is known, and are not too far behind the foremost one. */
function thatHave<T extends Choosable>(up: readonly T[], { block, maxLag, headLag }: Choice): readonly T[] {
  const foremost = Math.max(...up.map(({ health }) => health.head ?? 0));
  const needed = Math.min(foremost - headLag, Math.max(block, foremost - maxLag));
  return up.filter(({ health }) => health.head === null || health.head >= needed);
}

function cheaperOfTwo<T extends Choosable>(upstreams: readonly T[], { now, draw }: Choice): T {
  const first = draw(upstreams.length);
  const second = (first + 1 + draw(Math.max(1, upstreams.length - 1))) % upstreams.length;
  const [a, b] = [upstreams[first] as T, upstreams[second] as T];
  return b.health.cost(now) < a.health.cost(now) ? b : a;
}
