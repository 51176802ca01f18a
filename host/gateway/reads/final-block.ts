import type { Upstream } from '../upstream.ts';

/** Asks an upstream for the hash of a block; `null` where it has none. */
export type AskHash = (upstream: Upstream, block: number) => Promise<string | null>;

/**
 * The newest block of a route that no reorganisation reaches, by its chain's finality bound below the lowest head. All
 * upstreams that serve have the same block there, and with it the same blocks below.
 */
export class FinalBlock {
  readonly #finalityBlocks: number;
  #height = -1;
  #hash = '';
  #generation = 0;
  #agreed: ReadonlySet<Upstream> = new Set();

  constructor(finalityBlocks: number) {
    this.#finalityBlocks = finalityBlocks;
  }

  /** Its number; below 0 while none is known. */
  get height(): number {
    return this.#height;
  }

  /** Goes up when what was final is not, after all. */
  get generation(): number {
    return this.#generation;
  }

  /** True for an upstream that has this block. */
  has(upstream: Upstream): boolean {
    return this.#agreed.has(upstream);
  }

  /** Follows the heads of the last health checks. Where there are several upstreams, one alone raises nothing. */
  async follow(upstreams: readonly Upstream[], now: number, ask: AskHash): Promise<void> {
    const serving = upstreams.filter(({ health }) => health.state(now) === 'up' && health.head !== null);
    if (serving.length < Math.min(2, upstreams.length)) return;
    const lowest = Math.min(...serving.map(({ health }) => health.head ?? 0));
    const height = lowest - this.#finalityBlocks;
    if (height < 0) {
      this.#height = -1;
      return;
    }
    const hashes = await Promise.all(serving.map((upstream) => ask(upstream, height)));
    // Asked afterwards: a chain that changes in between must not pass for one that only grew.
    const former = this.#height < 0 ? [] : await Promise.all(serving.map((upstream) => ask(upstream, this.#height)));
    const known = hashes.filter((hash) => hash !== null);
    if (former.some((hash) => hash !== null && hash !== this.#hash) || new Set(known).size > 1) this.#forget();
    else if (known.length === serving.length) this.#set(height, known[0] as string, serving);
  }

  #set(height: number, hash: string, serving: readonly Upstream[]): void {
    this.#height = height;
    this.#hash = hash;
    this.#agreed = new Set(serving);
  }

  #forget(): void {
    this.#generation += 1;
    this.#height = -1;
    this.#agreed = new Set();
  }
}
