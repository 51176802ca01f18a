import type { BlockRef } from '../../../core/index.ts';
import { fromHashText, toHashText } from './hash256.ts';
import { readBlock } from './raw-block.ts';
import { inconsistent } from './node-values.ts';
import { outpointOf } from './utxo-node.ts';
import type { UtxoNode } from './utxo-node.ts';

/** The transaction that spent a coin, in a block that was verified against its hash. */
export interface FoundSpender {
  readonly txid: string;
  readonly raw: Buffer;
  readonly block: BlockRef;
}

interface Searched {
  /** The highest block that was searched, on the chain of that time. */
  readonly height: number;
  readonly hash: string;
  readonly found: FoundSpender | null;
}

/** The search begins this many blocks earlier, since a reorganisation may have replaced searched blocks. */
const MARGIN = 10;
/** Blocks of one pass; the next pass continues from there. */
const AT_ONCE = 200;
const KEPT = 1_000;

/** Finds the transaction that spent a coin by reading blocks, and remembers how far it has searched. */
export class SpenderSearch {
  readonly #node: UtxoNode;
  readonly #searched = new Map<string, Searched>();

  constructor(node: UtxoNode) {
    this.#node = node;
  }

  /**
   * @param ref - the coin's outpoint
   * @param since - a height of the chain at which the coin was unspent
   * @returns `null` when no block up to the head spends it
   * @throws TillgateError `NODE_FAILED`, also while there are more blocks than one pass reads
   */
  async find(ref: string, since: number): Promise<FoundSpender | null> {
    const known = await this.#stillTrue(ref);
    if (known?.found) return known.found;
    const head = await this.#node.height();
    const from = known === null ? Math.max(since - MARGIN, 0) : known.height + 1;
    const to = Math.min(head, from + AT_ONCE - 1);
    for (let height = from; height <= to; height++) {
      const found = await this.#look(ref, height);
      if (found !== null) return found;
    }
    if (to < head)
      throw inconsistent(`the coin ${ref} is gone, and ${head - to} blocks are still to be searched for who spent it`);
    return null;
  }

  async #look(ref: string, height: number): Promise<FoundSpender | null> {
    const hash = await this.#node.hashAt(height);
    if (hash === null) throw inconsistent(`the block at height ${height} is missing below the head`);
    const bytes = await this.#node.rawBlock(hash);
    const found = findSpender(bytes, ref, { height, hash });
    this.#remember(ref, { height, hash, found });
    return found;
  }

  /** The stored result, unless the chain was reorganised below it. */
  async #stillTrue(ref: string): Promise<Searched | null> {
    const known = this.#searched.get(ref);
    if (known === undefined) return null;
    if ((await this.#node.hashAt(known.height)) === known.hash) return known;
    this.#searched.delete(ref);
    return null;
  }

  #remember(ref: string, searched: Searched): void {
    this.#searched.delete(ref);
    this.#searched.set(ref, searched);
    if (this.#searched.size > KEPT) this.#searched.delete(this.#searched.keys().next().value as string);
  }
}

function findSpender(
  bytes: Buffer,
  ref: string,
  { height, hash }: { readonly height: number; readonly hash: string },
): FoundSpender | null {
  const wanted = outpointBytes(ref);
  let spends = false;
  let found: { txid: string; raw: Buffer } | null = null;
  const { parentHash, time } = readBlock(bytes, hash, {
    input(at) {
      spends ||= wanted.compare(bytes, at, at + wanted.length) === 0;
    },
    transaction(_place, txid, start, end) {
      if (spends) found = { txid: toHashText(txid), raw: bytes.subarray(start, end) };
      spends = false;
    },
  });
  if (found === null) return null;
  const { txid, raw } = found as { txid: string; raw: Buffer };
  // A copy, since otherwise the whole block would stay in memory.
  return { txid, raw: Buffer.from(raw), block: { height, hash, parentHash, time: time * 1000 } };
}

function outpointBytes(ref: string): Buffer {
  const [txid, number] = outpointOf(ref);
  const bytes = Buffer.alloc(36);
  bytes.set(fromHashText(txid));
  bytes.writeUInt32LE(number, 32);
  return bytes;
}
