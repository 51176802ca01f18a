import { SequentialQueue } from '../sequential-queue.ts';
import { asArray, asCount, asHash, asObject, asUnits, malformed } from './node-values.ts';
import type { UtxoNode } from './utxo-node.ts';

/** What a scan looks for: an output descriptor (BIP-380), with its range of indexes where it has one. */
export type ScanObject = string | { readonly desc: string; readonly range: readonly [number, number] };

/** `ref` is the outpoint. */
export interface UnspentOutput {
  readonly ref: string;
  readonly units: bigint;
}

/**
 * Looks through all unspent outputs of the chain, as a node without an index of addresses can. On a main network that
 * takes a minute or more, and a node runs one such scan at a time: they queue here.
 */
export class UnspentScans {
  readonly #node: UtxoNode;
  readonly #queue = new SequentialQueue();

  constructor(node: UtxoNode) {
    this.#node = node;
  }

  /** The total balance of these, in units. @throws TillgateError `NODE_FAILED` */
  async sum(objects: readonly ScanObject[]): Promise<bigint> {
    return (await this.list(objects)).reduce((sum, { units }) => sum + units, 0n);
  }

  /** The unspent outputs of these. @throws TillgateError `NODE_FAILED` */
  list(objects: readonly ScanObject[]): Promise<readonly UnspentOutput[]> {
    return this.#queue.run(() => this.#scan(objects));
  }

  async #scan(objects: readonly ScanObject[]): Promise<readonly UnspentOutput[]> {
    const answer = asObject(await this.#node.callSlowly('scantxoutset', 'start', objects), 'a scan');
    if (answer['success'] !== true) throw malformed('a scan that did not come to its end');
    return asArray(answer['unspents'], 'unspent outputs').map((value) => {
      const output = asObject(value, 'an output');
      const [txid, number] = [asHash(output['txid'], 'a transaction'), asCount(output['vout'], 'an output number')];
      return { ref: `${txid}:${number}`, units: asUnits(output['amount'], 'an amount') };
    });
  }
}
