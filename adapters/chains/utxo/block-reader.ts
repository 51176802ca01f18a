import type { BlockRef, CurrencyCode, Logger, ObservedTransfer, ScannedRange, WatchList } from '../../../core/index.ts';
import { findDeposits } from './block-deposits.ts';
import type { FoundOutput } from './block-deposits.ts';
import { inconsistent } from './node-values.ts';
import type { UtxoNode } from './utxo-node.ts';

/** Reads ranges of whole blocks, each held against its hash, and what they brought. */
export class BlockReader {
  readonly #node: UtxoNode;
  readonly #currency: CurrencyCode;
  readonly #logger: Logger;

  constructor(node: UtxoNode, currency: CurrencyCode, logger: Logger) {
    this.#node = node;
    this.#currency = currency;
    this.#logger = logger;
  }

  /** @throws TillgateError `NODE_FAILED`, also when the chain was reorganised meanwhile */
  async scan(from: number, to: number, watch: WatchList): Promise<ScannedRange> {
    // Fix its hash before anything is read: the blocks below follow from it, also when the node changes meanwhile.
    const hashes = await this.#hashes(from, to);
    const blocks: BlockRef[] = [];
    const transfers: ObservedTransfer[] = [];
    for (const [at, hash] of hashes.entries()) {
      const { summary, outputs } = findDeposits(await this.#node.rawBlock(hash), hash, (key) => watch.has(key));
      const block = { height: from + at, hash, parentHash: summary.parentHash, time: summary.time * 1000 };
      const parent = blocks.at(-1);
      if (parent !== undefined && parent.hash !== block.parentHash)
        throw inconsistent(`block ${block.height} does not follow the one before`);
      blocks.push(block);
      for (const output of outputs) if (this.#counts(output, block)) transfers.push(this.#transfer(output, block));
    }
    return { blocks, transfers };
  }

  async #hashes(from: number, to: number): Promise<readonly string[]> {
    const hashes: string[] = [];
    for (let height = from; height <= to; height++) {
      const hash = await this.#node.hashAt(height);
      if (hash === null) throw inconsistent(`the block at height ${height} is missing below the head`);
      hashes.push(hash);
    }
    return hashes;
  }

  #counts({ isCoinbase, units, txid }: FoundOutput, { height }: BlockRef): boolean {
    // New coins can't be spent for a hundred blocks: no payer pays with them, and a credit would promise too much.
    if (isCoinbase)
      this.#logger.warn('a miner paid newly made coins to an order; they are not credited', { txid, height });
    return !isCoinbase && units > 0n;
  }

  #transfer({ txid, number, units, key }: FoundOutput, block: BlockRef): ObservedTransfer {
    return { txid, index: String(number), block, currency: this.#currency, units, from: null, toKey: key };
  }
}
