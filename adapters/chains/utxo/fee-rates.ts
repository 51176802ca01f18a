import { TillgateError } from '../../../core/index.ts';
import { asObject, asUnits } from './node-values.ts';
import type { FeeRate } from './transaction-size.ts';
import type { UtxoNode } from './utxo-node.ts';
import type { FeeRateBounds } from './utxo-options.ts';

/** What the network takes now. */
export interface PresentRates {
  /** What a new transaction pays. */
  readonly rate: FeeRate;
  /** What a replacement must pay more than the one before, for each of its bytes (BIP-125, rule 4). */
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

  /** @throws TillgateError `STATE_CONFLICT` while the node takes nothing within the bounds; `NODE_FAILED` */
  async now(): Promise<PresentRates> {
    const [estimate, pool, network] = await Promise.all([
      this.#node.call('estimatesmartfee', this.#targetBlocks),
      this.#node.call('getmempoolinfo'),
      this.#node.call('getnetworkinfo'),
    ]);
    // Without the field the node has seen too few transactions for an estimate.
    const feerate = asObject(estimate, 'a fee estimate')['feerate'];
    const wanted = feerate === undefined ? this.#bounds.fallback : asUnits(feerate, 'a fee rate');
    const least = asUnits(asObject(pool, 'the pool')['mempoolminfee'], 'the least fee rate');
    const increment = asUnits(asObject(network, 'the network')['incrementalfee'], 'the increment of fee rates');
    if (least > this.#bounds.max) throw beyond(least, this.#bounds.max);
    const bounded =
      greater(wanted, this.#bounds.min) > this.#bounds.max ? this.#bounds.max : greater(wanted, this.#bounds.min);
    return { rate: greater(bounded, least), increment };
  }

  /** @throws TillgateError `STATE_CONFLICT` while the rate is too high for putting coins together */
  checkLow(rate: FeeRate): void {
    const { consolidate } = this.#bounds;
    if (rate <= consolidate) return;
    throw new TillgateError(
      'STATE_CONFLICT',
      `The network asks for ${perByte(rate)} a virtual byte, and coins are put together at ${perByte(consolidate)} or less.`,
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
    `The network asks for ${perByte(rate)} a virtual byte, and maxFeeRate allows ${perByte(most)}.`,
  );
}

/** Rates are written by the byte, with a decimal where they need one. */
function perByte(rate: FeeRate): string {
  return `${Number(rate) / 1_000}`;
}
