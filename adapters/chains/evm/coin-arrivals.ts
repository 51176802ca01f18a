import type { CurrencyCode, ObservedTransfer, WatchList } from '../../../core/index.ts';
import { evmAddress } from './evm-address.ts';
import type { CoinTransaction } from './blocks.ts';
import { receiptIn } from './receipts.ts';
import type { Receipt } from './receipts.ts';

/** A change of an address's coin balance that a plain transaction explains. */
export interface CoinMove {
  readonly height: number;
  /** Negative for coins that left the address. */
  readonly units: bigint;
}

/** Direct payments: successful transactions that carry a value to a watched address. */
export function directArrivals(
  coins: readonly CoinTransaction[],
  receipts: ReadonlyMap<string, Receipt>,
  watch: WatchList,
  currency: CurrencyCode,
): readonly ObservedTransfer[] {
  const transfers: ObservedTransfer[] = [];
  for (const { txid, block, fromKey, toKey, units } of coins) {
    if (toKey === null || units === 0n || !watch.has(toKey) || !receiptIn(receipts, txid, block.hash).success) continue;
    transfers.push({ txid, index: 'value', block, currency, units, from: evmAddress(fromKey), toKey });
  }
  return transfers;
}

/** The changes that plain transactions made to the balance of each address they touch, fees included. */
export function coinMoves(
  coins: readonly CoinTransaction[],
  receipts: ReadonlyMap<string, Receipt>,
): ReadonlyMap<string, readonly CoinMove[]> {
  const moves = new Map<string, CoinMove[]>();
  const add = (key: string, height: number, units: bigint): void => {
    if (units === 0n) return;
    const list = moves.get(key);
    if (list === undefined) moves.set(key, [{ height, units }]);
    else list.push({ height, units });
  };
  for (const { txid, block, fromKey, toKey, units } of coins) {
    const { success, fee } = receiptIn(receipts, txid, block.hash);
    if (success && toKey !== null) add(toKey, block.height, units);
    add(fromKey, block.height, -(success ? units + fee : fee));
  }
  return moves;
}
