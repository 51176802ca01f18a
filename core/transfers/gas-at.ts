import type { Storage } from '../ports/storage.ts';
import type { PayingChain } from './payout-deps.ts';

/**
 * What may pay the network's fee for tokens at a deposit address: the chain's own coin there, less what payers sent of it.
 * That is moved whole, by a sweep of its own; a fee taken from it would leave one of the two without what it needs.
 *
 * @throws TillgateError `NODE_FAILED`
 */
export async function gasAt({ code, payments }: PayingChain, { transfers }: Pick<Storage, 'transfers'>, address: string): Promise<bigint> {
  const { currency } = payments.feeAsset;
  const paid = await transfers.freeAt(code, address, currency);
  return paid.reduce((left, { units }) => left - units, await payments.balance(address, currency));
}
