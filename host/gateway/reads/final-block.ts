import type { Checkpoint } from '../../../core/index.ts';
import type { Upstream } from '../upstream.ts';

/** Requests the hash of a block from an upstream; `null` where it has none. */
export type AskHash = (upstream: Upstream, block: number) => Promise<string | null>;

/** The most checkpoints whose hashes are known, and those that are asked for at once. */
const MOST_CHECKPOINTS = 1_024;
const MOST_ASKED = 4;

/**
 * The newest block of a route that no reorganisation can reach: the chain's finality bound below the lowest head. All
 * upstreams that serve have the same block there, and therefore the same blocks below.
 *
 * Checkpoints are the final blocks whose numbers are multiples of the finality bound. Instances, whose final blocks differ by
 * moments, have them in common.
 */
export class FinalBlock {
  readonly #finalityBlocks: number;
  #height = -1;
  #hash = '';
  #generation = 0;
  #agreed: ReadonlySet<Upstream> = new Set();
  #begun = 0;
  #confirmed = 0;
  /** The newest checkpoint once its branch was confirmed, and the next one before. */
  #checkpoint: Checkpoint | null = null;
  #candidate: Checkpoint | null = null;
  /** The hashes of checkpoints on this branch. */
  readonly #checkpoints = new Map<number, string>();
  /** Checkpoints that were asked for in this round, and those that no answer came for yet. */
  readonly #asked = new Set<number>();
  #asking = 0;

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

  /** The number of rounds that have begun. */
  get begun(): number {
    return this.#begun;
  }

  /** The last round in which the block before was still part of the chain. */
  get confirmed(): number {
    return this.#confirmed;
  }

  /** The newest checkpoint; `null` while none is known. */
  get checkpoint(): Checkpoint | null {
    return this.#checkpoint;
  }

  /** True if the upstream has this block. */
  has(upstream: Upstream): boolean {
    return this.#agreed.has(upstream);
  }

  /** The hash of a checkpoint as this route's upstreams have it; `null` while it is not known. */
  hashOf(checkpoint: number): string | null {
    return checkpoint <= this.#height ? (this.#checkpoints.get(checkpoint) ?? null) : null;
  }

  /**
   * Updates the block from the heads of the last health checks. With several upstreams, a single one cannot raise it.
   */
  async follow(upstreams: readonly Upstream[], now: number, ask: AskHash): Promise<void> {
    this.#begun += 1;
    this.#asked.clear();
    const round = this.#begun;
    const serving = upstreams.filter(
      ({ cordoned, health }) => !cordoned && health.state(now) === 'up' && health.head !== null,
    );
    if (serving.length < Math.min(2, upstreams.length)) return;
    const lowest = Math.min(...serving.map(({ health }) => health.head ?? 0));
    const height = lowest - this.#finalityBlocks;
    if (height < 0) {
      // A chain that is shorter than it was is another one.
      if (this.#height >= 0) this.#forget();
      return;
    }
    const hashes = await Promise.all(serving.map((upstream) => ask(upstream, height)));
    const candidate = await this.#nextCheckpoint(height, serving, ask);
    // Read again afterwards: a chain that was replaced meanwhile must not be mistaken for one that only grew.
    const former = this.#height < 0 ? [] : await Promise.all(serving.map((upstream) => ask(upstream, this.#height)));
    const known = hashes.filter((hash) => hash !== null);
    if (former.some((hash) => hash !== null && hash !== this.#hash) || new Set(known).size > 1) this.#forget();
    else if (known.length === serving.length) {
      const found = former.length === 0 || former.includes(this.#hash);
      // A network that began again has not reached the block yet, so that no hash contradicts.
      if (!found && height < this.#height) this.#forget();
      // One that has it does not say so: the next round will show why.
      else if (!found) return;
      if (former.length > 0 && former.every((hash) => hash === this.#hash)) this.#confirm(round);
      this.#set(height, known[0] as string, serving);
      this.#candidate = candidate ?? this.#candidate;
    }
  }

  /** Asks for the hash of a checkpoint, unless that was done in this round; {@link hashOf} has it afterwards. */
  async learn(checkpoint: number, ask: AskHash): Promise<void> {
    if (checkpoint > this.#height || this.#asked.has(checkpoint) || this.#asking >= MOST_ASKED) return;
    const generation = this.#generation;
    this.#asked.add(checkpoint);
    this.#asking += 1;
    try {
      const hash = await agreedHash([...this.#agreed], checkpoint, ask);
      if (hash !== null && generation === this.#generation) this.#know({ number: checkpoint, hash });
    } finally {
      this.#asking -= 1;
    }
  }

  /** The newest checkpoint, if it is a new one. It is read after the block above it, which is read again a round later. */
  async #nextCheckpoint(height: number, serving: readonly Upstream[], ask: AskHash): Promise<Checkpoint | null> {
    const number = height - (height % Math.max(1, this.#finalityBlocks));
    if (number === this.#checkpoint?.number || number === this.#candidate?.number) return null;
    const hash = await agreedHash(serving, number, ask);
    return hash === null ? null : { number, hash };
  }

  /** The block of the last round is still part of the chain, and so is the checkpoint below it that was read then. */
  #confirm(round: number): void {
    this.#confirmed = round;
    if (this.#candidate === null) return;
    this.#checkpoint = this.#candidate;
    this.#know(this.#candidate);
    this.#candidate = null;
  }

  #know({ number, hash }: Checkpoint): void {
    this.#checkpoints.delete(number);
    this.#checkpoints.set(number, hash);
    for (const oldest of this.#checkpoints.keys()) {
      if (this.#checkpoints.size <= MOST_CHECKPOINTS) return;
      this.#checkpoints.delete(oldest);
    }
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
    this.#checkpoint = null;
    this.#candidate = null;
    this.#checkpoints.clear();
  }
}

async function agreedHash(upstreams: readonly Upstream[], block: number, ask: AskHash): Promise<string | null> {
  const [first = null, ...others] = await Promise.all(upstreams.map((upstream) => ask(upstream, block)));
  return others.every((hash) => hash === first) ? first : null;
}
