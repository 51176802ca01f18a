import type { PayingAddress, PaymentLine, Signer } from '../../../core/index.ts';
import { AccountKey } from '../account-key.ts';
import { evmAddress, evmKey } from './evm-address.ts';

/** The two accounts of a chain: 2k pays, 2k + 1 receives (decisions, section 10). */
export interface EvmAccounts {
  readonly hot: string;
  readonly deposit: string;
}

/** What an EVM chain pays with. */
export interface PayingKeys {
  readonly signer: Signer;
  readonly accounts: EvmAccounts;
  readonly hotAddress: string;
}

/**
 * The keys of a chain that can pay; `null` where it is watch-only: without a signer, or when the deposit addresses come
 * from an extended key (`xpub`) that is not the signer's, so that it could not spend what arrives there.
 */
export async function openPayingKeys(
  signer: Signer | null,
  accounts: EvmAccounts,
  xpub: string | null,
): Promise<PayingKeys | null> {
  if (signer === null) return null;
  if (xpub !== null) {
    const own = new AccountKey(await signer.extendedPublicKey(accounts.deposit));
    if (new AccountKey(xpub).walletId !== own.walletId) return null;
  }
  const hot = new AccountKey(await signer.extendedPublicKey(accounts.hot));
  return { signer, accounts, hotAddress: evmAddress(evmKey(hot.publicKey(0))) };
}

/** The path of the key that pays: the hot wallet's for `null`, else that of a deposit address. */
export function pathOf({ hot, deposit }: EvmAccounts, index: number | null): string {
  return index === null ? `${hot}/0/0` : `${deposit}/0/${index}`;
}

/** The path of the receiver's key where the till pays itself: a sweep, gas for a sweep, a cancellation. */
export function ownPathOf(
  { accounts, hotAddress }: PayingKeys,
  source: PayingAddress,
  { to, toIndex }: PaymentLine,
): string | null {
  if (toIndex !== undefined) return pathOf(accounts, toIndex);
  if (to === hotAddress) return pathOf(accounts, null);
  return to === source.address ? pathOf(accounts, source.index) : null;
}
