import type { NetworkCost } from './transfer-entries.ts';
import type { GasBalance } from './transfer-store.ts';
import type { Storage } from '../kernel/index.ts';
import type { PayingChain } from './payout-deps.ts';
import type { Transfer } from './transfer.ts';

/**
 * The gas available for a token sweep at a deposit address: what the till sent there, as far as the node shows it
 * besides deposits of payers. Deposited coins are swept completely by a transfer of their own, and a fee paid from them
 * would leave that sweep short.
 *
 * @throws TillgateError `NODE_FAILED`
 */
export async function gasBalance(
  { code, payments }: PayingChain,
  { transfers }: Pick<Storage, 'transfers'>,
  address: string,
): Promise<bigint> {
  const { currency } = payments.feeAsset;
  const sent = await transfers.gasAt(code, address);
  if (sent <= 0n) return 0n;
  const paid = await transfers.freeAt(code, address, currency);
  const shown = paid.reduce((left, { units }) => left - units, await payments.balance(address, currency));
  return shown < sent ? shown : sent;
}

/** The change of the gas at a deposit address by a mined transfer: arriving gas, or the gas that a sweep used. */
export function gasLeft(transfer: Transfer, to: 'CONFIRMED' | 'FAILED', cost: NetworkCost): GasBalance {
  const { kind, currency, sourceAddress, sourceIndex, toAddress, units, feeUnits } = transfer;
  const isPaid = to === 'CONFIRMED';
  if (sourceIndex === null) return { address: toAddress, units: kind === 'gas' && isPaid ? units : 0n };
  const withheld = isPaid && currency === cost.currency ? feeUnits : 0n;
  return { address: sourceAddress, units: withheld - cost.units };
}
