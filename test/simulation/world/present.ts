import { TillgateError } from '../../../core/index.ts';
import type { BalancesRead, BlockRef, ChainAdapter, CurrencyCode, PresentBalances } from '../../../core/index.ts';
import type { SimChain } from './chain.ts';
import type { NodeTrouble } from './trouble.ts';

/** The part of the node that is queried. */
interface Shown extends Pick<ChainAdapter, 'blockAt'> {
  readonly chain: SimChain;
  readonly trouble: Pick<NodeTrouble, 'forkedAt' | 'keeps'>;
  /** The height of the last block that it shows. */
  readonly shown: number;
}

/** The balances that a node shows: at blocks that it has, and whose state it keeps. */
export class SimPresentBalances implements PresentBalances {
  readonly currencies: readonly CurrencyCode[];
  readonly perCall = 50;
  readonly #node: Shown;

  constructor(node: Shown) {
    this.#node = node;
    this.currencies = [node.chain.native];
  }

  async read(keys: readonly string[], currency: CurrencyCode, at: BlockRef): Promise<BalancesRead> {
    const shown = await this.#node.blockAt(at.height);
    if (shown?.hash !== at.hash) throw new TillgateError('NODE_FAILED', `The node has no block ${at.hash}.`);
    const { chain, trouble } = this.#node;
    // A false branch of the node contains nothing beyond the chain below its fork.
    const height = Math.min(at.height, (trouble.forkedAt ?? Infinity) - 1);
    const isGone = trouble.keeps !== null && at.height <= this.#node.shown - trouble.keeps;
    return { through: at, units: keys.map((key) => (isGone ? null : chain.balanceAt(key, currency, height))) };
  }
}
