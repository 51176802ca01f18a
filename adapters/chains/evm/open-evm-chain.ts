import type { ChainAdapter, PluginContext } from '../../../core/index.ts';
import { openByNodes } from '../quorum/open-by-nodes.ts';
import { agreeEvmPrice } from './agree-price.ts';
import { EvmChain } from './evm-chain.ts';
import { openPayingKeys } from './paying-keys.ts';
import type { EvmDefaults, EvmPluginOptions } from './plugin-options.ts';

/**
 * Opens the chain of an EVM plugin. Its addresses come from the option `xpub` or the till's seed; it can pay if the
 * till's signer has the keys.
 *
 * @throws TillgateError `CONFIG_INVALID` when there is neither `xpub` nor a seed
 */
export async function openEvmChain(
  { code, name, coin, accounts, chainId }: EvmDefaults,
  {
    options,
    logger,
    wallet,
    signer,
    clock,
  }: Pick<PluginContext<EvmPluginOptions>, 'options' | 'logger' | 'wallet' | 'signer' | 'clock'>,
): Promise<ChainAdapter> {
  const { native, xpub, maxGasPrice, bumpAfterMs, maxGas, rpcUrls, quorum, insecureNodes, ...rest } = options;
  const keys = await openPayingKeys(signer, accounts, xpub);
  if (keys === null && signer !== null)
    logger.warn('the extended public key is not of the till’s seed: the chain is watch-only', { chain: code });
  const key = xpub ?? (await wallet.extendedPublicKey(accounts.deposit));
  const paying = { keys, maxGasPrice, bumpAfterMs, maxGas };
  const mainNetwork = rest.chainId === chainId;
  const nodes = { urls: rpcUrls, quorum, mainNetwork, insecureNodes, clock, agreePrice: agreeEvmPrice };
  return openByNodes(
    nodes,
    (pick) =>
      new EvmChain({ ...rest, rpcUrls: pick(rpcUrls), code, name, coin, takesCoin: native, xpub: key, paying }, logger),
  );
}
