import type { BlockRef, CurrencyCode, ObservedTransfer, ScannedRange, WatchList } from '../../../core/index.ts';
import { findDeposits } from './block-deposits.ts';
import type { FoundOutput } from './block-deposits.ts';
import { inconsistent } from './node-values.ts';
import type { UtxoNode } from './utxo-node.ts';

/** Newly mined coins can be spent in the hundredth block after their own (`COINBASE_MATURITY` of Bitcoin Core and Litecoin Core). */
export const COINBASE_MATURITY = 100;

/** Reads ranges of whole blocks, verifies each against its hash, and finds the deposits in them. */
export class BlockReader {
  readonly #node: UtxoNode;
  readonly #currency: CurrencyCode;

  constructor(node: UtxoNode, currency: CurrencyCode) {
    this.#node = node;
    this.#currency = currency;
  }

  /** @throws TillgateError `NODE_FAILED`, also when the chain was reorganised meanwhile */
  async scan(from: number, to: number, watch: WatchList): Promise<ScannedRange> {
    // The hash at the end is read first: it determines the blocks below it, even if the node's chain changes in the
    // meantime.
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
      for (const output of outputs) if (output.units > 0n) transfers.push(this.#transfer(output, block));
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

  #transfer({ txid, number, units, key, isCoinbase }: FoundOutput, block: BlockRef): ObservedTransfer {
    const transfer = { txid, index: String(number), block, currency: this.#currency, units, from: null, toKey: key };
    return isCoinbase ? { ...transfer, leastConfirmations: COINBASE_MATURITY } : transfer;
  }
}
