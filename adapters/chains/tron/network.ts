import { TillgateError } from '../../../core/index.ts';
import { TransportFailure } from '../http-endpoint.ts';
import { readBlockRef } from './blocks.ts';
import type { TronNode } from './tron-client.ts';
import type { TronNetwork } from './tron-options.ts';

/** The id of the main network's first block. */
const MAIN_GENESIS = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';

/** Refuses nodes of other networks: by the main network's genesis block, or by that of the first node that answered. */
export class NetworkCheck {
  #genesis: string | null;

  constructor(network: TronNetwork) {
    this.#genesis = network === 'main' ? MAIN_GENESIS : null;
  }

  /** @returns the genesis block's id. @throws TillgateError `CHAIN_HALTED` for a node of another network */
  async admit(node: TronNode): Promise<string> {
    const genesis = await genesisOf(node);
    this.#genesis ??= genesis;
    if (genesis !== this.#genesis) {
      throw new TillgateError(
        'CHAIN_HALTED',
        `The node at ${node.host} is on the Tron network ${genesis}, but TRX is configured for ${this.#genesis}.`,
      );
    }
    return genesis;
  }
}

async function genesisOf(node: TronNode): Promise<string> {
  const answer = await node.ask('/wallet/getblockbynum', { num: 0 });
  const { height, hash } = readBlockRef(answer);
  if (height !== 0) throw new TransportFailure(`${node.host}: the first block is missing`);
  return hash;
}
