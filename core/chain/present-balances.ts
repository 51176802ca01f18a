import type { BlockRef, CurrencyCode } from '../kernel/index.ts';

/** Balances of several addresses in one currency. */
export interface BalancesRead {
  /** Everything counted had arrived by this block: the requested one, or a later one. */
  readonly through: BlockRef;
  /** The balances in the order of the keys; `null` where the node keeps no state of that block. */
  readonly units: readonly (bigint | null)[];
}

/**
 * Balances of the till's own addresses from a node's present state; no index, no trace and no old state is needed. They
 * include what reached an address in ways that blocks do not show.
 */
export interface PresentBalances {
  /** The currencies that can reach an address in ways that blocks do not show. */
  readonly currencies: readonly CurrencyCode[];
  /** The number of addresses that one call to a node reads. */
  readonly perCall: number;
  /**
   * Reads balances as of a recent block of the followed chain. A node that has only its present state returns that.
   *
   * @param keys - watch keys
   * @throws TillgateError `NODE_FAILED`
   */
  read(keys: readonly string[], currency: CurrencyCode, at: BlockRef): Promise<BalancesRead>;
}
