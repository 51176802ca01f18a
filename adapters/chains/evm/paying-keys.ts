import type { PayingAddress, PaymentLine, Signer } from '../../../core/index.ts';
import { AccountKey } from '../account-key.ts';
import { evmAddress, evmKey } from './evm-address.ts';

/** The two accounts of a chain: account 2k pays, account 2k + 1 receives. */
export interface EvmAccounts {
  readonly hot: string;
  readonly deposit: string;
}

/** The keys and the signer with which an EVM chain pays. */
export interface PayingKeys {
  readonly signer: Signer;
  readonly accounts: EvmAccounts;
  readonly hotAddress: string;
}

/**
 * The keys of a chain that can pay; `null` when it is watch-only: without a signer, or when the deposit addresses come
 * from an extended key (`xpub`) that is not the signer's, which could not spend what arrives there.
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

/** The path of the paying key: that of the hot wallet for `null`, otherwise that of a deposit address. */
export function pathOf({ hot, deposit }: EvmAccounts, index: number | null): string {
  return index === null ? `${hot}/0/0` : `${deposit}/0/${index}`;
}

/** The path of the receiver's key when the till pays itself: a sweep, gas for a sweep, a cancel. */
export function ownPathOf(
  { accounts, hotAddress }: PayingKeys,
  source: PayingAddress,
  { to, toIndex }: PaymentLine,
): string | null {
  if (toIndex !== undefined) return pathOf(accounts, toIndex);
  if (to === hotAddress) return pathOf(accounts, null);
  return to === source.address ? pathOf(accounts, source.index) : null;
}
