import type { ChainAdapter, PluginContext } from '../../../core/index.ts';
import type { EvmAccounts } from '../evm/paying-keys.ts';
import { openByNodes } from '../quorum/open-by-nodes.ts';
import { lowestFee } from '../quorum/quorum-payments.ts';
import type { TronPluginOptions } from './plugin-options.ts';
import { TronChain } from './tron-chain.ts';
import { openTronKeys } from './tron-keys.ts';

/**
 * Opens the chain of the Tron plugin. Its addresses come from the option `xpub` or the till's seed; it can pay if the
 * till's signer has the keys.
 *
 * @throws TillgateError `CONFIG_INVALID` when there is neither `xpub` nor a seed
 */
export async function openTronChain(
  { accounts }: { readonly accounts: EvmAccounts },
  {
    options,
    logger,
    wallet,
    signer,
    clock,
  }: Pick<PluginContext<TronPluginOptions>, 'options' | 'logger' | 'wallet' | 'signer' | 'clock'>,
): Promise<ChainAdapter> {
  const { xpub, feeLimitSun, expirationMs, apiUrls, solidityUrls, quorum, insecureNodes, ...rest } = options;
  const keys = await openTronKeys(signer, accounts, xpub);
  const key = xpub ?? (await wallet.extendedPublicKey(accounts.deposit));
  const payer = keys === null ? null : { keys, clock, feeLimitSun, expirationMs };
  const mainNetwork = options.network === 'main';
  const trust = { urls: apiUrls, quorum, mainNetwork, insecureNodes, clock, agreePrice: lowestFee };
  return openByNodes(trust, (pick) => {
    const nodes = { apiUrls: pick(apiUrls), solidityUrls: solidityUrls === null ? null : pick(solidityUrls) };
    return new TronChain({ ...rest, ...nodes, xpub: key }, logger, payer);
  });
}
