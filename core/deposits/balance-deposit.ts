import type { Deposit } from '../chain/index.ts';

/** The prefix of the index of a deposit that was found by the balance of its address and not by a transaction. */
export const BALANCE_INDEX = 'balance:';

/** Whether a deposit was found by the balance of its address. The id of its transaction is then the hash of a block. */
export function isByBalance({ index }: Pick<Deposit, 'index'>): boolean {
  return index.startsWith(BALANCE_INDEX);
}
