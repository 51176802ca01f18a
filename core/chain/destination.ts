import { TillgateError } from '../kernel/index.ts';
import type { ChainAdapter } from './chain-adapter.ts';
import type { Storage } from '../kernel/index.ts';
import { isOwnAddress } from './own-address.ts';

/**
 * Refuses an address that certainly cannot be paid: one that loses what it receives, or one of the till's own. Reasons
 * that only a node can find are found when a payment is priced.
 *
 * @param address - in the chain's usual form
 * @param field - the request's field, for the error
 * @throws TillgateError `DESTINATION_UNPAYABLE`
 */
export async function requirePayableAddress(
  chain: ChainAdapter,
  address: string,
  field: string,
  storage: Pick<Storage, 'deposits'>,
): Promise<void> {
  const problem =
    chain.destinationProblem?.(address) ??
    ((await isOwnAddress(chain, address, storage)) ? 'belongs to this till' : null);
  if (problem === null) return;
  throw new TillgateError('DESTINATION_UNPAYABLE', `The address ${address} ${problem}.`, {
    fields: [{ path: field, message: `must be an address that can be paid; this one ${problem}` }],
  });
}
