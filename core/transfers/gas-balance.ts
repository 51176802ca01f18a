import type { Storage } from '../ports/storage.ts';
import type { PayingChain } from './payout-deps.ts';

/**
 * The gas available for a token sweep at a deposit address: the native balance less what payers deposited. Deposited coins
 * are swept whole by a transfer of their own; a fee taken from them would leave that sweep short.
 *
 * @throws TillgateError `NODE_FAILED`
 */
export async function gasBalance(
  { code, payments }: PayingChain,
  { transfers }: Pick<Storage, 'transfers'>,
  address: string,
): Promise<bigint> {
  const { currency } = payments.feeAsset;
  const paid = await transfers.freeAt(code, address, currency);
  return paid.reduce((left, { units }) => left - units, await payments.balance(address, currency));
}
