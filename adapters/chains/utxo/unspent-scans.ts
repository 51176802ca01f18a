import { SequentialQueue } from '../sequential-queue.ts';
import { asArray, asObject, asUnits, malformed } from './node-values.ts';
import type { UtxoNode } from './utxo-node.ts';

/** What a scan looks for: an output descriptor (BIP-380), with its range of indexes where it has one. */
export type ScanObject = string | { readonly desc: string; readonly range: readonly [number, number] };

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
  sum(objects: readonly ScanObject[]): Promise<bigint> {
    return this.#queue.run(() => this.#scan(objects));
  }

  async #scan(objects: readonly ScanObject[]): Promise<bigint> {
    const answer = asObject(await this.#node.call('scantxoutset', 'start', objects), 'a scan');
    if (answer['success'] !== true) throw malformed('a scan that did not come to its end');
    const found = asArray(answer['unspents'], 'unspent outputs');
    return found.reduce<bigint>(
      (sum, output) => sum + asUnits(asObject(output, 'an output')['amount'], 'an amount'),
      0n,
    );
  }
}
