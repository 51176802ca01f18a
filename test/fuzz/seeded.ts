/** Pseudo-random choices that a seed repeats (mulberry32). */
export class Seeded {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, 1. */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number {
    return Math.floor(this.unit() * end);
  }

  /** True once in `n`. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }

  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  text(length: number, alphabet: string): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join('');
  }
}

/** The seed and the size of a run: `FUZZ_SEED` repeats one, `npm run fuzz` has the full size. */
export function fuzzPlan(
  share: number,
  full: number,
): { readonly seed: number; readonly size: number; readonly random: Seeded } {
  const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);
  return { seed, size: process.env['FUZZ_FULL'] === '1' ? full : share, random: new Seeded(seed) };
}
