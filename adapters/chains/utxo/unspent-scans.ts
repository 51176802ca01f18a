import { SequentialQueue } from '../sequential-queue.ts';
import { asArray, asCount, asHash, asObject, asUnits, malformed } from './node-values.ts';
import type { UtxoNode } from './utxo-node.ts';

/** The object of a scan: an output descriptor (BIP-380), with its range of indexes where it has one. */
export type ScanObject = string | { readonly desc: string; readonly range: readonly [number, number] };

/** `ref` is the outpoint. */
export interface UnspentOutput {
  readonly ref: string;
  readonly units: bigint;
}

/**
 * Searches all unspent outputs of the chain, which a node without an index of addresses can do. On a main network a
 * scan takes a minute or more, and a node runs only one at a time, so scans queue here.
 */
export class UnspentScans {
  readonly #node: UtxoNode;
  readonly #queue = new SequentialQueue();

  constructor(node: UtxoNode) {
    this.#node = node;
  }

  /** The total balance of these objects, in units. @throws TillgateError `NODE_FAILED` */
  async sum(objects: readonly ScanObject[]): Promise<bigint> {
    return (await this.list(objects)).reduce((sum, { units }) => sum + units, 0n);
  }

  /** The unspent outputs of these objects. @throws TillgateError `NODE_FAILED` */
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
