import type { Signer } from '../../../core/index.ts';
import { tronAddress } from './tron-address.ts';
import { openPayingKeys } from '../evm/paying-keys.ts';
import type { PayingKeys } from '../evm/paying-keys.ts';

/**
 * The keys of a Tron chain that can pay; `null` where it is watch-only.
 *
 * Tron's keys are those of EVM chains with another coin type, and its addresses are the same hashes in another
 * encoding.
 */
export async function openTronKeys(
  signer: Signer | null,
  accounts: PayingKeys['accounts'],
  xpub: string | null,
): Promise<PayingKeys | null> {
  const keys = await openPayingKeys(signer, accounts, xpub);
  return keys === null ? null : { ...keys, hotAddress: tronAddress(keys.hotAddress.slice(2).toLowerCase()) };
}
