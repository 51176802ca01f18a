import type { FinalBlock } from './final-block.ts';

interface Entry {
  readonly answer: string;
  readonly block: number;
  /** The final block of the route as configured at the time; a changed route has another one. */
  readonly final: FinalBlock;
  readonly generation: number;
}

const MAX_ENTRY = 256 * 1024;
/** The memory of an entry besides its text, in bytes. */
const ENTRY_BYTES = 256;

/** Caches answers about final blocks, for all routes together; the least recently used ones are evicted. */
export class ResponseCache {
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The answer, if its block is still final. */
  find(key: string, final: FinalBlock): string | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    this.#remove(key, entry);
    if (entry.final !== final || entry.generation !== final.generation) return null;
    this.#add(key, entry);
    return entry.block <= final.height ? entry.answer : null;
  }

  /** True if {@link find} would find it. */
  has(key: string, final: FinalBlock): boolean {
    const entry = this.#entries.get(key);
    return entry?.final === final && entry.generation === final.generation && entry.block <= final.height;
  }

  put(key: string, entry: Entry): void {
    const former = this.#entries.get(key);
    if (former !== undefined) this.#remove(key, former);
    if (sizeOf(key, entry) > MAX_ENTRY) return;
    this.#add(key, entry);
    for (const [oldest, each] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#remove(oldest, each);
    }
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += sizeOf(key, entry);
  }

  #remove(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= sizeOf(key, entry);
  }
}

/** Two bytes for each character. */
const sizeOf = (key: string, { answer }: Entry): number => 2 * (key.length + answer.length) + ENTRY_BYTES;
