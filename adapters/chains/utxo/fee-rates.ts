import { TillgateError } from '../../../core/index.ts';
import { asObject, asUnits } from './node-values.ts';
import type { FeeRate } from './transaction-size.ts';
import type { UtxoNode } from './utxo-node.ts';
import type { FeeRateBounds } from './utxo-options.ts';

/** The current fee rates of the network. */
export interface PresentRates {
  /** The rate of a new transaction. */
  readonly rate: FeeRate;
  /**
   * The rate by which a replacement must exceed the transaction it replaces, for each of its bytes (BIP-125, rule 4).
   */
  readonly increment: FeeRate;
}

/** The node's estimate within the operator's bounds. */
export class FeeRates {
  readonly #node: UtxoNode;
  readonly #bounds: FeeRateBounds;
  readonly #targetBlocks: number;

  constructor(node: UtxoNode, bounds: FeeRateBounds, targetBlocks: number) {
    this.#node = node;
    this.#bounds = bounds;
    this.#targetBlocks = targetBlocks;
  }

  /** @throws TillgateError `STATE_CONFLICT` while the node accepts no rate within the bounds; `NODE_FAILED` */
  async now(): Promise<PresentRates> {
    const [estimate, pool, network] = await Promise.all([
      this.#node.call('estimatesmartfee', this.#targetBlocks),
      this.#node.call('getmempoolinfo'),
      this.#node.call('getnetworkinfo'),
    ]);
    // Without this field the node has seen too few transactions for an estimate.
    const feerate = asObject(estimate, 'a fee estimate')['feerate'];
    const wanted = feerate === undefined ? this.#bounds.fallback : asUnits(feerate, 'a fee rate');
    const least = asUnits(asObject(pool, 'the pool')['mempoolminfee'], 'the least fee rate');
    const increment = asUnits(asObject(network, 'the network')['incrementalfee'], 'the increment of fee rates');
    if (least > this.#bounds.max) throw beyond(least, this.#bounds.max);
    const bounded =
      greater(wanted, this.#bounds.min) > this.#bounds.max ? this.#bounds.max : greater(wanted, this.#bounds.min);
    return { rate: greater(bounded, least), increment };
  }

  /** @throws TillgateError `STATE_CONFLICT` while the rate is too high for consolidation */
  checkLow(rate: FeeRate): void {
    const { consolidate } = this.#bounds;
    if (rate <= consolidate) return;
    throw new TillgateError(
      'STATE_CONFLICT',
      `The network asks for ${perByte(rate)} per virtual byte, but coins are consolidated at ${perByte(consolidate)} or less.`,
    );
  }

  /** @throws TillgateError `STATE_CONFLICT` for a rate above the operator's bound */
  checkBound(rate: FeeRate): void {
    if (rate > this.#bounds.max) throw beyond(rate, this.#bounds.max);
  }
}

export function greater(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function beyond(rate: FeeRate, most: FeeRate): TillgateError {
  return new TillgateError(
    'STATE_CONFLICT',
    `The network asks for ${perByte(rate)} per virtual byte, but maxFeeRate allows ${perByte(most)}.`,
  );
}

/** Rates are shown per byte, with a decimal where needed. */
function perByte(rate: FeeRate): string {
  return `${Number(rate) / 1_000}`;
}
