import type { Random } from '../kernel/index.ts';

const PRIME = 4_294_967_291;
const WAYS = 4;
const SLOT_WORDS = 4;
const BUCKET_WORDS = WAYS * SLOT_WORDS;
const FEWEST_BUCKETS = 256;
const MOST_BUCKETS = 2 ** 19;

/**
 * Finds the row of a text of one length without storing the text: by a 96-bit fingerprint, in a flat table of bounded
 * size whose every look-up reads one line of memory.
 *
 * The fingerprint is a multilinear hash over three prime fields under a key that is drawn at the start and never leaves
 * the process: any two different texts collide with a probability of 2^-96, whatever the texts (Carter and Wegman,
 * 1981). An attacker without this key and without a valid text gains no more from a guess here than from guessing a
 * text.
 */
export class FingerprintCache {
  readonly #length: number;
  readonly #key: Float64Array;
  #slots = new Uint32Array(FEWEST_BUCKETS * BUCKET_WORDS);
  #mask = FEWEST_BUCKETS - 1;
  #next = 0;
  #first = 0;
  #second = 0;
  #third = 0;

  /** @param length - of every text in characters; a text of another length has no row */
  constructor(random: Random, length: number) {
    this.#length = length;
    this.#key = drawn(random, 3 * (Math.ceil(length / 2) + 1));
  }

  /** The number of texts that fit into the cache. */
  get capacity(): number {
    return this.#slots.length / SLOT_WORDS;
  }

  /** The row of a text: -1 when it is not cached, `null` for a text that cannot have a row. */
  find(text: string): number | null {
    if (!this.#take(text)) return null;
    const slots = this.#slots;
    const first = this.#first;
    const bucket = (first & this.#mask) * BUCKET_WORDS;
    for (let at = bucket; at < bucket + BUCKET_WORDS; at += SLOT_WORDS) {
      if (slots[at] === first && slots[at + 1] === this.#second && slots[at + 2] === this.#third)
        return (slots[at + 3] as number) - 1;
    }
    return -1;
  }

  /** Caches the row of the text that was looked up last; evicts another one when there is no room. */
  remember(row: number): void {
    const bucket = (this.#first & this.#mask) * BUCKET_WORDS;
    let at = bucket;
    while (at < bucket + BUCKET_WORDS && this.#slots[at + 3] !== 0) at += SLOT_WORDS;
    if (at === bucket + BUCKET_WORDS) at = bucket + (this.#next++ % WAYS) * SLOT_WORDS;
    this.#slots[at] = this.#first;
    this.#slots[at + 1] = this.#second;
    this.#slots[at + 2] = this.#third;
    this.#slots[at + 3] = row + 1;
  }

  /** Grows the cache to this many texts, up to a bound; growing clears it. */
  fit(rows: number): void {
    let buckets = this.#mask + 1;
    while (buckets * WAYS < rows * 2 && buckets < MOST_BUCKETS) buckets *= 2;
    if (buckets === this.#mask + 1) return;
    this.#slots = new Uint32Array(buckets * BUCKET_WORDS);
    this.#mask = buckets - 1;
  }

  clear(): void {
    this.#slots.fill(0);
  }

  /** Computes the fingerprint of a text of the right length in ASCII. All sums stay below 2^53. */
  #take(text: string): boolean {
    const length = this.#length;
    if (text.length !== length) return false;
    const key = this.#key;
    let first = key[0] as number;
    let second = key[1] as number;
    let third = key[2] as number;
    let foreign = 0;
    for (let at = 0, place = 3; at < length; at += 2, place += 3) {
      const left = text.charCodeAt(at);
      const right = at + 1 < length ? text.charCodeAt(at + 1) : 0;
      foreign |= left | right;
      // The sums are integers up to this point, so that each is converted to a double once.
      const pair = (left << 7) + right;
      first += pair * (key[place] as number);
      second += pair * (key[place + 1] as number);
      third += pair * (key[place + 2] as number);
    }
    this.#first = reduced(first);
    this.#second = reduced(second);
    this.#third = reduced(third);
    return foreign < 128;
  }
}

/** The remainder modulo the prime; the operator `%` would take longer than everything else here. */
function reduced(sum: number): number {
  const rest = sum - Math.floor(sum / PRIME) * PRIME;
  // The quotient may have been rounded up or down by one.
  if (rest < 0) return rest + PRIME;
  return rest >= PRIME ? rest - PRIME : rest;
}

/** Uniformly random numbers below the prime. */
function drawn(random: Random, count: number): Float64Array {
  const numbers = new Float64Array(count);
  for (let at = 0; at < count;) {
    const [a = 0, b = 0, c = 0, d = 0] = random.bytes(4);
    const number = ((a * 256 + b) * 256 + c) * 256 + d;
    if (number < PRIME) numbers[at++] = number;
  }
  return numbers;
}
