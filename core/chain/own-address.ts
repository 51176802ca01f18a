import type { ChainAdapter } from './chain-adapter.ts';
import type { Storage } from '../kernel/index.ts';

/**
 * True for the till's own hot wallet and deposit addresses: a payment of the till to itself would be booked as paid
 * without reaching anyone.
 *
 * @param address - in the chain's usual form
 */
export async function isOwnAddress(
  chain: ChainAdapter,
  address: string,
  { deposits }: Pick<Storage, 'deposits'>,
): Promise<boolean> {
  if (chain.payments !== null && chain.normaliseAddress(chain.payments.hotAddress) === address) return true;
  return (await deposits.owners(chain.code, [chain.keyOf(address)])).length > 0;
}
