import type { Millis } from '../kernel/index.ts';
import type { NodeFault } from './answer-meaning.ts';

/** What was learned is forgotten after this time: a node may have been changed, or may have synchronised. */
const FORGET_MS = 3_600_000;
/** The same for a block that it does not have yet. */
const NOT_YET_MS = 2_000;
/** Fewer blocks are refused for the number of their logs, and not for the range. */
const SMALLEST_RANGE = 100;
/** Methods that read the state, of which a node keeps all or none from some block on. */
const STATE_METHODS: ReadonlySet<string> = new Set([
  'eth_call',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_getAccount',
  'eth_getBalance',
  'eth_getCode',
  'eth_getProof',
  'eth_getStorageAt',
  'eth_getTransactionCount',
]);
const STATE = 'state';
/** Names come from callers; further ones are not learned. */
const MOST_NAMES = 256;

/** What a request asks an upstream for. */
export interface Need {
  /** The methods of its calls; none where they are not read. */
  readonly methods: readonly string[];
  /** The number of the highest block that it needs; `Infinity` for the newest one. */
  readonly block: number;
  /** How many blocks' logs it reads; 0 for another request, or where it does not say so. */
  readonly range: number;
}

/** A limit that an upstream was found to have, and until when it is believed. */
interface Limit {
  readonly value: number;
  readonly until: Millis;
}

/** What an operator sees of a {@link UpstreamAbilities}. */
export interface AbilitiesView {
  /** Methods that it does not have. */
  readonly missingMethods: readonly string[];
  /** The lowest block whose state it may have; `null` where no limit is known. */
  readonly oldestState: number | null;
}

/** What one upstream was found not to serve, from its own answers. */
export class UpstreamAbilities {
  /** The lowest block that it may have, by method or `state`; `Infinity` for a method that it does not have. */
  readonly #oldest = new Map<string, Limit>();
  /** The lowest block that it does not have yet. */
  #next: Limit = NONE;
  /** The fewest blocks whose logs it does not read in one call. */
  #range: Limit = NONE;

  /**
   * Records that it did not have what a request asked for.
   *
   * @param head - its newest block; `null` where that is not known
   */
  learn(reason: NodeFault, { methods, block, range }: Need, head: number | null, now: Millis): void {
    const [method] = methods;
    // Of a batch it is not known which call was meant.
    if (method === undefined || methods.length > 1) return;
    if (reason === 'no_method') this.#lacksBelow(method, Infinity, now);
    else if (reason === 'range_limit' && range >= SMALLEST_RANGE)
      this.#range = { value: Math.min(range, valueAt(this.#range, now)), until: now + FORGET_MS };
    else if (block === Infinity) return;
    else if (reason === 'no_state') this.#lacksBelow(nameOf(method), block + 1, now);
    else if (reason === 'no_block' && head !== null && block <= head) this.#lacksBelow(method, block + 1, now);
    else if (reason === 'no_block')
      this.#next = { value: Math.min(block, valueAt(this.#next, now)), until: now + NOT_YET_MS };
  }

  /** True if it is known not to have what a request asks for. */
  lacks({ methods, block, range }: Need, now: Millis): boolean {
    if (block < Infinity && block >= valueAt(this.#next, now)) return true;
    if (range > 0 && range >= valueAt(this.#range, now)) return true;
    return this.#oldest.size > 0 && methods.some((method) => this.#isBelow(method, block, now));
  }

  /** The fewest blocks whose logs it was found not to read in one call; `Infinity` where no limit is known. */
  refusedRange(now: Millis): number {
    return valueAt(this.#range, now);
  }

  /** True if anything is known that it does not have. */
  lacksAnything(now: Millis): boolean {
    return this.#oldest.size > 0 || this.#next.until > now || this.#range.until > now;
  }

  view(now: Millis): AbilitiesView {
    const known = [...this.#oldest].filter(([, { until }]) => until > now);
    const state = known.find(([name]) => name === STATE);
    return {
      missingMethods: known.filter(([, { value }]) => value === Infinity).map(([name]) => name),
      oldestState: state === undefined ? null : state[1].value,
    };
  }

  #isBelow(method: string, block: number, now: Millis): boolean {
    const at = (name: string): boolean => {
      const lowest = this.#oldest.get(name);
      if (lowest === undefined) return false;
      if (lowest.until > now) return lowest.value === Infinity || block < lowest.value;
      this.#oldest.delete(name);
      return false;
    };
    return at(method) || (STATE_METHODS.has(method) && at(STATE));
  }

  #lacksBelow(name: string, value: number, now: Millis): void {
    const former = this.#oldest.get(name);
    if (former === undefined && this.#oldest.size >= MOST_NAMES) return;
    if (former !== undefined && former.until > now && former.value >= value) return;
    const until = former === undefined || former.until <= now ? now + FORGET_MS : former.until;
    this.#oldest.set(name, { value, until });
  }
}

const NONE: Limit = { value: Infinity, until: 0 };
const valueAt = ({ value, until }: Limit, now: Millis): number => (until > now ? value : Infinity);
const nameOf = (method: string): string => (STATE_METHODS.has(method) ? STATE : method);
