const LOAD = 0.7;
const FIRST_ROWS = 1024;
const FREE = -1;

/**
 * Finds rows by a fixed number of 32-bit words: a hash table in two flat arrays, with a quarter of the memory of a
 * `Map` of strings. Rows count up from 0 and are never removed.
 */
export class RowIndex {
  readonly #width: number;
  #words: Uint32Array;
  #slots: Int32Array;
  #size = 0;

  /** @param width - the number of words of a key */
  constructor(width: number) {
    this.#width = width;
    this.#words = new Uint32Array(FIRST_ROWS * width);
    this.#slots = new Int32Array(slotsFor(FIRST_ROWS)).fill(FREE);
  }

  get size(): number {
    return this.#size;
  }

  /** The row of a key, or -1. */
  find(key: ArrayLike<number>): number {
    return this.#slots[this.#slotOf(key)] as number;
  }

  /** The row of a key; creates it where there is none. */
  ensure(key: ArrayLike<number>): number {
    const slot = this.#slotOf(key);
    const known = this.#slots[slot] as number;
    if (known !== FREE) return known;
    const row = this.#size++;
    if ((row + 1) * this.#width > this.#words.length) this.#words = grown(this.#words);
    this.#words.set(key, row * this.#width);
    this.#slots[slot] = row;
    if (this.#size > this.#slots.length * LOAD) this.#spread();
    return row;
  }

  word(row: number, at: number): number {
    return this.#words[row * this.#width + at] as number;
  }

  /** The slot of a key, or the free slot for it. */
  #slotOf(key: ArrayLike<number>): number {
    const mask = this.#slots.length - 1;
    for (let slot = mixed(key, 0, this.#width) & mask; ; slot = (slot + 1) & mask) {
      const row = this.#slots[slot] as number;
      if (row === FREE || this.#equals(row, key)) return slot;
    }
  }

  #equals(row: number, key: ArrayLike<number>): boolean {
    const start = row * this.#width;
    for (let at = 0; at < this.#width; at++) if (this.#words[start + at] !== key[at]) return false;
    return true;
  }

  #spread(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(FREE);
    const mask = slots.length - 1;
    for (let row = 0; row < this.#size; row++) {
      let slot = mixed(this.#words, row * this.#width, this.#width) & mask;
      while (slots[slot] !== FREE) slot = (slot + 1) & mask;
      slots[slot] = row;
    }
    this.#slots = slots;
  }
}

function slotsFor(rows: number): number {
  return 2 ** Math.ceil(Math.log2(rows / LOAD));
}

/** Ids of the same time differ in few bits; mixing spreads these to the low bits. */
function mixed(words: ArrayLike<number>, start: number, width: number): number {
  let hash = 0;
  for (let at = 0; at < width; at++) hash = Math.imul(hash ^ (words[start + at] as number), 0x9e3779b1) ^ (hash >>> 15);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

type Flat = Uint8Array | Uint32Array;

/** A copy that is half as large again. */
export function grown<T extends Flat>(array: T): T {
  const larger = new (array.constructor as new (length: number) => T)(Math.ceil(array.length * 1.5));
  larger.set(array);
  return larger;
}
