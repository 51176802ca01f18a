import type { Millis } from '../kernel/index.ts';
import type { AbilitiesView } from './upstream-abilities.ts';

/** `up`: it serves. `down`: it does not. `trial`: one request may test it. */
export type UpstreamState = 'up' | 'down' | 'trial';

/** The state of an upstream as seen by one instance, and what it was found not to have. */
export interface UpstreamView extends HealthView, AbilitiesView {}

/** The state of an upstream as seen by one instance. */
export interface HealthView {
  readonly state: UpstreamState;
  /** The number of its newest block; `null` when it is not known. */
  readonly head: number | null;
  /** The number of blocks by which it is behind the foremost upstream of its route; `null` when its head is unknown. */
  readonly lagBlocks: number | null;
  /** Moving averages of the latest requests; `null` before the first one. */
  readonly latencyMs: number | null;
  /** From 0 to 1. */
  readonly errorRate: number | null;
}

/** Consecutive failures to connect that open the circuit. */
const FAILURES_TO_OPEN = 5;
/** Consecutive failed health checks that open the circuit; one is enough before the first success. */
const CHECKS_TO_OPEN = 2;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** The weight of the newest request in the averages. */
const WEIGHT = 0.2;
/** Milliseconds after which a measurement counts half, so that a slow upstream is tried again. */
const HALF_LIFE_MS = 5_000;
/** Milliseconds by which the cost of an upstream with only errors rises. */
const ERROR_COST_MS = 1_000;

/**
 * The circuit breaker, latency and chain head of one upstream. Failed connections and failed health checks open the
 * circuit. An error after a request was sent does not: the request itself may be the cause, and one App must not take
 * the upstream from the others. After a pause, which doubles each time, one request is let through; its success, or
 * that of a health check, closes the circuit.
 */
export class UpstreamHealth {
  #failures = 0;
  #failedChecks = 0;
  #proven = false;
  #openUntil: Millis | null = null;
  #pauseMs = FIRST_PAUSE_MS;
  #trying = false;
  /** The averages at the time `#measuredAt`. */
  #latencyMs = 0;
  #errors = 0;
  #measuredAt: Millis = 0;
  #running = 0;
  #head: number | null = null;
  #latest: number | null = 0;
  #latestAt: Millis = 0;

  state(now: Millis): UpstreamState {
    if (this.#openUntil === null) return 'up';
    return now >= this.#openUntil && !this.#trying ? 'trial' : 'down';
  }

  /** The number of its newest block; `null` when it is not known. */
  get head(): number | null {
    return this.#head;
  }

  /**
   * The newest block that it is known to have, by a health check or by an answer: 0 before the first one, and `null` for
   * an upstream that does not say.
   */
  get latest(): number | null {
    return this.#latest;
  }

  /** Records the block that one of its answers is of. The choice by heads still compares those of health checks. */
  answered(block: number, now: Millis): void {
    if (block <= (this.#latest ?? -1)) return;
    this.#latest = block;
    this.#latestAt = now;
  }

  /** The expected wait for an answer, from the latest latencies and errors. */
  waitMs(now: Millis): number {
    return (this.#latencyMs + ERROR_COST_MS * this.#errors) * this.#faded(now);
  }

  /** The view for operators. @param foremost - the newest block of any upstream of the route, `null` for none */
  view(now: Millis, foremost: number | null): HealthView {
    const measured = this.#measuredAt > 0;
    return {
      state: this.state(now),
      head: this.#head,
      lagBlocks: this.#head === null ? null : Math.max(0, (foremost ?? this.#head) - this.#head),
      latencyMs: measured ? this.#latencyMs : null,
      errorRate: measured ? this.#errors : null,
    };
  }

  /** The expected wait of one more request, from the latest latencies and errors; lower is better. */
  cost(now: Millis): number {
    return (this.waitMs(now) + 1) * (this.#running + 1);
  }

  /** Records that a request was sent. */
  started(now: Millis): void {
    this.#running += 1;
    if (this.state(now) === 'trial') this.#trying = true;
  }

  /** Records that the upstream started to answer. */
  succeeded(tookMs: number, now: Millis): void {
    this.#running -= 1;
    this.#measure(tookMs, 0, now);
    this.#close();
  }

  /**
   * Records a request that was answered by a server error or not at all. The request itself may be the cause, so this
   * affects only the choice between upstreams.
   */
  erred(tookMs: number, now: Millis): void {
    this.#running -= 1;
    this.#trying = false;
    this.#measure(Math.max(tookMs, this.#latencyMs), 1, now);
  }

  /** Records that another upstream was faster: this one would have taken at least this long, which is no error. */
  outpaced(tookMs: number, now: Millis): void {
    this.#running -= 1;
    this.#trying = false;
    const faded = this.#faded(now);
    this.#measure(Math.max(tookMs, this.#latencyMs * faded), this.#errors * faded, now);
  }

  /** Records a failure to connect. */
  failed(now: Millis): void {
    this.#running -= 1;
    this.#failures += 1;
    if (this.#openUntil !== null || this.#failures >= FAILURES_TO_OPEN) this.#open(now);
  }

  /** Records a request whose outcome says nothing about the upstream's health. */
  abandoned(): void {
    this.#running -= 1;
    this.#trying = false;
  }

  /**
   * Records a successful health check, with the chain's head where it is known.
   *
   * @param askedAt - when the check began: an answer from after that counts more
   */
  checked(head: number | null, askedAt: Millis): void {
    this.#head = head;
    // Also when it is lower: a chain can be replaced by a shorter one.
    if (askedAt >= this.#latestAt || (head ?? 0) >= (this.#latest ?? 0)) {
      this.#latest = head;
      this.#latestAt = askedAt;
    }
    this.#close();
  }

  checkFailed(now: Millis): void {
    this.#failedChecks += 1;
    this.#head = null;
    if (!this.#proven || this.#openUntil !== null || this.#failedChecks >= CHECKS_TO_OPEN) this.#open(now);
  }

  /** @param error - 1 for an error, 0 for none; the present average leaves it unchanged */
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

/** An upstream that can be chosen by its health. */
export interface Choosable {
  readonly health: UpstreamHealth;
  /** Whether an operator has taken it out of use: it is not chosen then, even if all others are down. */
  readonly cordoned: boolean;
}

/** The criteria of {@link chooseUpstream}. */
export interface Choice<T = unknown> {
  /** Whether an upstream is known not to have what is asked for; `null` where that is known of none. */
  readonly lacks: ((upstream: T) => boolean) | null;
  readonly now: Millis;
  /** The block that the request needs; `Infinity` for the newest one. */
  readonly block: number;
  /** The most blocks by which an upstream may be behind the foremost one for reads of older blocks. */
  readonly maxLag: number;
  /** The most blocks by which it may be behind for reads of the newest block. */
  readonly headLag: number;
  /** A random integer from 0 to below the given one. */
  readonly draw: (below: number) => number;
}

/**
 * The upstream for the next request, of those that are not known to lack what it asks for, or else of all: the one with the lower cost of two drawn at random, among those that serve and
 * have the required block; otherwise among those that serve; otherwise one that is due for a trial. Never a cordoned one.
 *
 * @returns `null` when none is known to be up
 */
export function chooseUpstream<T extends Choosable>(
  upstreams: readonly T[],
  excluded: readonly T[],
  choice: Choice<T>,
): T | null {
  const left = excluded.length === 0 ? upstreams : upstreams.filter((upstream) => !excluded.includes(upstream));
  const { lacks } = choice;
  const able = lacks === null ? left : left.filter((upstream) => !lacks(upstream));
  const chosen = choose(able, choice);
  return chosen !== null || able.length === left.length ? chosen : choose(left, choice);
}

function choose<T extends Choosable>(left: readonly T[], choice: Choice<T>): T | null {
  const { now } = choice;
  const [only] = left;
  if (only !== undefined && left.length === 1) return only.cordoned || only.health.state(now) === 'down' ? null : only;
  const up = left.filter(({ health, cordoned }) => !cordoned && health.state(now) === 'up');
  if (up.length === 0) return left.find(({ health, cordoned }) => !cordoned && health.state(now) === 'trial') ?? null;
  return cheaperOfTwo(thatHave(up, choice), choice);
}

/**
 * A second upstream for a read that the first one answers slowly, chosen in the same way, but only among those that
 * serve and could have been the first: a hedged read must not return an older answer.
 *
 * @returns `null` when there is none
 */
export function chooseSecond<T extends Choosable>(upstreams: readonly T[], first: T, choice: Choice<T>): T | null {
  const up = upstreams.filter(
    (upstream) => !upstream.cordoned && upstream.health.state(choice.now) === 'up' && choice.lacks?.(upstream) !== true,
  );
  const others = thatHave(up, choice).filter((upstream) => upstream !== first);
  return others.length === 0 ? null : cheaperOfTwo(others, choice);
}

/** The upstreams that have the block, as far as is known, and are not too far behind the foremost one. */
export function thatHave<T extends Choosable>(up: readonly T[], { block, maxLag, headLag }: Choice<T>): readonly T[] {
  const foremost = Math.max(...up.map(({ health }) => health.head ?? 0));
  const needed = Math.min(foremost - headLag, Math.max(block, foremost - maxLag));
  return up.filter(({ health }) => health.head === null || health.head >= needed);
}

function cheaperOfTwo<T extends Choosable>(upstreams: readonly T[], { now, draw }: Choice<T>): T {
  const first = draw(upstreams.length);
  const second = (first + 1 + draw(Math.max(1, upstreams.length - 1))) % upstreams.length;
  const [a, b] = [upstreams[first] as T, upstreams[second] as T];
  return b.health.cost(now) < a.health.cost(now) ? b : a;
}
