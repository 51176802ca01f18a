import type { Upstream } from '../upstream.ts';

/** Requests the hash of a block from an upstream; `null` where it has none. */
export type AskHash = (upstream: Upstream, block: number) => Promise<string | null>;

/**
 * The newest block of a route that no reorganisation can reach: the chain's finality bound below the lowest head. All
 * upstreams that serve have the same block there, and therefore the same blocks below.
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

  /** The number of the block; below 0 while none is known. */
  get height(): number {
    return this.#height;
  }

  /** Increases when a block that counted as final was replaced. */
  get generation(): number {
    return this.#generation;
  }

  /** True if the upstream has this block. */
  has(upstream: Upstream): boolean {
    return this.#agreed.has(upstream);
  }

  /**
   * Updates the block from the heads of the last health checks. With several upstreams, a single one cannot raise it.
   */
  async follow(upstreams: readonly Upstream[], now: number, ask: AskHash): Promise<void> {
    const serving = upstreams.filter(
      ({ cordoned, health }) => !cordoned && health.state(now) === 'up' && health.head !== null,
    );
    if (serving.length < Math.min(2, upstreams.length)) return;
    const lowest = Math.min(...serving.map(({ health }) => health.head ?? 0));
    const height = lowest - this.#finalityBlocks;
    if (height < 0) {
      this.#height = -1;
      return;
    }
    const hashes = await Promise.all(serving.map((upstream) => ask(upstream, height)));
    // Read again afterwards: a chain that was replaced meanwhile must not be mistaken for one that only grew.
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
