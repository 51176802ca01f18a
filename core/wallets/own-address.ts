import type { ChainAdapter } from '../ports/chain-adapter.ts';
import type { Storage } from '../ports/storage.ts';

/**
 * True for the till's own hot wallet and deposit addresses: a payment of the till to itself would be booked as paid and
 * never arrive at anybody.
 *
 * @param address - in the chain's usual form
 */
export async function isOwnAddress(
  chain: ChainAdapter,
  address: string,
  { deposits }: Pick<Storage, 'deposits'>,
): Promise<boolean> {
  if (chain.payments !== null && chain.normaliseAddress(chain.payments.hotAddress) === address) return true;
  const key = chain.keyOf?.(address);
  return key !== undefined && (await deposits.owners(chain.code, [key])).length > 0;
}
