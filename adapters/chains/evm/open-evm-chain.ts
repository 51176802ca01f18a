import type { PluginContext } from '../../../core/index.ts';
import { EvmChain } from './evm-chain.ts';
import { openPayingKeys } from './paying-keys.ts';
import type { EvmDefaults, EvmPluginOptions } from './plugin-options.ts';

/**
 * The chain of an EVM plugin: its addresses from the options' `xpub` or the till's seed, and payments where the till's
 * signer has the keys.
 *
 * @throws TillgateError `CONFIG_INVALID` when there is neither `xpub` nor a seed
 */
export async function openEvmChain(
  { code, name, coin, accounts }: EvmDefaults,
  {
    options,
    logger,
    wallet,
    signer,
  }: Pick<PluginContext<EvmPluginOptions>, 'options' | 'logger' | 'wallet' | 'signer'>,
): Promise<EvmChain> {
  const { native, xpub, maxGasPrice, bumpAfterMs, maxGas, ...rest } = options;
  const keys = await openPayingKeys(signer, accounts, xpub);
  if (keys === null && signer !== null)
    logger.warn('the extended public key is not of the till’s seed: the chain is watch-only', { chain: code });
  return new EvmChain(
    {
      ...rest,
      code,
      name,
      coin,
      takesCoin: native,
      xpub: xpub ?? (await wallet.extendedPublicKey(accounts.deposit)),
      paying: { keys, maxGasPrice, bumpAfterMs, maxGas },
    },
    logger,
  );
}
