import { keccak256 } from 'viem/utils';
import type { Hex } from 'viem';
import { TRANSFER_TOPIC } from './log-matching.ts';
import { malformed } from './rpc-values.ts';

/**
 * `0x` and 256 bytes: the bloom filter of a header or a receipt over the addresses and topics of its logs (Yellow
 * Paper, 4.3.1).
 */
const BLOOM = /^0x[0-9a-f]{512}$/i;
const DIGITS = 512;
/** The position of the text's last digit, which contains bit 0. */
const LAST_DIGIT = 513;
const ZERO = 48;
const LETTER_A = 97;

/**
 * The three bits that an address or a topic sets, as positions in the text of a filter: the digit, and the bit in it.
 */
type BloomBits = readonly { readonly digit: number; readonly mask: number }[];

/** @param item - an address or a topic with `0x` */
function bitsOf(item: string): BloomBits {
  const hash = keccak256(item as Hex);
  return [0, 1, 2].map((pair) => {
    const bit = Number.parseInt(hash.slice(2 + pair * 4, 6 + pair * 4), 16) & 2_047;
    return { digit: LAST_DIGIT - (bit >> 2), mask: 1 << (bit & 3) };
  });
}

/** Reads the bloom filter of a node's reply, in lower case. @throws TillgateError `NODE_FAILED` for another form */
export function asBloom(value: unknown, what: string): string {
  if (typeof value !== 'string' || !BLOOM.test(value)) throw malformed(what);
  return value.toLowerCase();
}

/** Whether the item may be in the logs; `false` is certain. */
function mayHold(bloom: string, bits: BloomBits): boolean {
  return bits.every(({ digit, mask }) => (Number.parseInt(bloom.charAt(digit), 16) & mask) !== 0);
}

/** The union of the items of logs and of other filters. */
export class BloomUnion {
  readonly #digits = new Uint8Array(DIGITS);
  readonly #added = new Set<string>();

  /** Adds a log's address and topics. */
  addLog({ address, topics }: { readonly address?: unknown; readonly topics?: readonly unknown[] }): void {
    for (const item of [address, ...(topics ?? [])]) {
      if (typeof item !== 'string') throw malformed('a log');
      if (this.#added.has(item)) continue;
      this.#added.add(item);
      for (const { digit, mask } of bitsOf(item)) this.#set(digit - 2, mask);
    }
  }

  addBloom(bloom: string): void {
    for (let at = 0; at < DIGITS; at++) {
      const digit = bloom.charCodeAt(at + 2);
      if (digit !== ZERO) this.#set(at, digit < LETTER_A ? digit - ZERO : digit - LETTER_A + 10);
    }
  }

  /** Whether the union contains every bit of the filter. */
  covers(bloom: string): boolean {
    return this.#digits.every((digit, at) => (Number.parseInt(bloom.charAt(at + 2), 16) & ~digit) === 0);
  }

  #set(at: number, mask: number): void {
    this.#digits[at] = (this.#digits[at] as number) | mask;
  }
}

/** Tells from a filter which of some contracts may have logged a Transfer. */
export class TransferBlooms {
  readonly #topic = bitsOf(TRANSFER_TOPIC);
  readonly #contracts: readonly { readonly key: string; readonly bits: BloomBits }[];

  /** @param contracts - their keys */
  constructor(contracts: Iterable<string>) {
    this.#contracts = [...contracts].map((key) => ({ key, bits: bitsOf(`0x${key}`) }));
  }

  /** The keys of contracts that may have logged one; the others certainly have not. */
  possible(bloom: string): readonly string[] {
    if (!mayHold(bloom, this.#topic)) return [];
    return this.#contracts.filter(({ bits }) => mayHold(bloom, bits)).map(({ key }) => key);
  }
}
