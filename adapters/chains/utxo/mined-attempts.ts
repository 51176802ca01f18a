import type { BlockRef } from '../../../core/index.ts';
import { toHashText } from './hash256.ts';
import { inconsistent } from './node-values.ts';
import { readBlock } from './raw-block.ts';
import type { UtxoNode } from './utxo-node.ts';

/** The place where a transaction was mined. */
export interface MinedAt {
  readonly block: BlockRef;
  readonly confirmations: number;
}

const KEPT = 1_000;

/** Finds the block of a transaction whose outputs are known, on a node without an index of transactions. */
export class MinedAttempts {
  readonly #node: UtxoNode;
  /** For each transaction, the block that was read and contains it. */
  readonly #seen = new Map<string, BlockRef>();

  constructor(node: UtxoNode) {
    this.#node = node;
  }

  /** `null` when none of its outputs is unspent in the chain, and it was not seen before in a block of the chain. */
  async find(txid: string, outputs: number): Promise<MinedAt | null> {
    return (await this.#seenBefore(txid)) ?? (await this.#byOutputs(txid, outputs));
  }

  /** Remembers a block that was read and holds the transaction. */
  note(txid: string, block: BlockRef): void {
    this.#seen.delete(txid);
    this.#seen.set(txid, block);
    if (this.#seen.size > KEPT) this.#seen.delete(this.#seen.keys().next().value as string);
  }

  async #seenBefore(txid: string): Promise<MinedAt | null> {
    const block = this.#seen.get(txid);
    if (block === undefined) return null;
    const head = await this.#node.height();
    if ((await this.#node.hashAt(block.height)) === block.hash)
      return { block, confirmations: head - block.height + 1 };
    this.#seen.delete(txid);
    return null;
  }

  async #byOutputs(txid: string, outputs: number): Promise<MinedAt | null> {
    const refs = Array.from({ length: outputs }, (_, number) => `${txid}:${number}`);
    const unspent = (await this.#node.unspent(refs, false)).find((output) => output !== null);
    if (unspent === undefined) return null;
    const best = await this.#node.header(unspent.bestBlock);
    const height = best.height - unspent.confirmations + 1;
    const hash = await this.#node.hashAt(height);
    if (hash === null) throw inconsistent(`the block at height ${height} is missing below the head`);
    await this.#checkHolds(hash, txid);
    const block = await this.#node.header(hash);
    this.note(txid, block);
    return { block, confirmations: unspent.confirmations };
  }

  /** Verifies the node's answer with the block itself, because money is booked by it. */
  async #checkHolds(hash: string, txid: string): Promise<void> {
    let holds = false;
    readBlock(await this.#node.rawBlock(hash), hash, {
      transaction(_place, id) {
        holds ||= toHashText(id) === txid;
      },
    });
    if (!holds) throw inconsistent(`the transaction ${txid} is not in the block ${hash}, where the node has it`);
  }
}
