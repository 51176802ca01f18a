import type { Millis, RouteId } from '../kernel/index.ts';

/** How long a block counts that was answered, and an upstream as left, in milliseconds. */
const REMEMBERED_MS = 60_000;

/** An instance's view of one upstream, as others hear of it. */
export interface ShownBlockReport {
  readonly routeId: RouteId;
  /** {@link Home.seed} */
  readonly seed: number;
  /** The newest block that one of its answers is known to be of. */
  readonly block: number;
  /** Whether reads of its Apps went to other upstreams since the last report. */
  readonly left: boolean;
}

/** The newest block that the answers of one upstream are known to be of, and whether its Apps have left it. */
export class ShownBlock {
  #block = 0;
  #shownAt = -Infinity;
  #left = false;
  #avoidedUntil = -Infinity;
  #reported = 0;

  /** The block, if an answer of the last minute is of it; 0 for none. */
  at(now: Millis): number {
    return now - this.#shownAt <= REMEMBERED_MS ? this.#block : 0;
  }

  /** Records an answer. @param block - the newest one that the upstream is known to have */
  show(block: number, now: Millis): void {
    this.#block = block;
    this.#shownAt = now;
  }

  /** Applies a health check that began at `askedAt`: a chain can be replaced by a shorter one. */
  checked(head: number, askedAt: Millis): void {
    if (askedAt > this.#shownAt && head < this.#block) this.#block = head;
  }

  /** True for a minute after a read of one of its Apps went to another upstream, on any instance. */
  isAvoided(now: Millis): boolean {
    return this.#avoidedUntil > now;
  }

  /** Records that a read of one of its Apps goes to another upstream. */
  leave(now: Millis): void {
    this.#left = true;
    this.#avoidedUntil = now + REMEMBERED_MS;
  }

  /** Applies what another instance says. */
  hear({ block, left }: Pick<ShownBlockReport, 'block' | 'left'>, now: Millis): void {
    if (block > this.at(now)) this.show(block, now);
    if (left) this.#avoidedUntil = now + REMEMBERED_MS;
  }

  /** What changed since the last call; `null` for nothing. */
  report(): Pick<ShownBlockReport, 'block' | 'left'> | null {
    if (!this.#left && this.#block === this.#reported) return null;
    const report = { block: this.#block, left: this.#left };
    this.#reported = this.#block;
    this.#left = false;
    return report;
  }
}

/** An upstream of a route. */
export interface ShownUpstream {
  readonly routeId: RouteId;
  readonly seed: number;
  readonly shown: ShownBlock;
}

/** The shown blocks of all upstreams of one instance, to exchange them with other instances. */
export class ShownBlocks {
  #upstreams = new Map<string, ShownUpstream>();

  /** Sets the upstreams; others are forgotten. */
  follow(upstreams: readonly ShownUpstream[]): void {
    this.#upstreams = new Map(upstreams.map((one) => [nameOf(one), one]));
  }

  get isEmpty(): boolean {
    return this.#upstreams.size === 0;
  }

  /** What changed since the last call. */
  reports(): readonly ShownBlockReport[] {
    return [...this.#upstreams.values()].flatMap(({ routeId, seed, shown }) => {
      const report = shown.report();
      return report === null ? [] : [{ routeId, seed, ...report }];
    });
  }

  /** Applies what other instances say of upstreams that this one has too. */
  hear(reports: readonly ShownBlockReport[], now: Millis): void {
    for (const report of reports) this.#upstreams.get(nameOf(report))?.shown.hear(report, now);
  }
}

const nameOf = ({ routeId, seed }: Pick<ShownUpstream, 'routeId' | 'seed'>): string => `${routeId} ${seed}`;
