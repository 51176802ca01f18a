import type { ChainAdapter, Clock, Logger, PublicWallet, Signer } from '../../../core/index.ts';
import { AccountKey } from '../account-key.ts';
import { openByNodes } from '../quorum/open-by-nodes.ts';
import { lowestFee } from '../quorum/quorum-payments.ts';
import type { UtxoPluginOptions } from './plugin-options.ts';
import { inputCost } from './transaction-size.ts';
import { UtxoChain } from './utxo-chain.ts';
import type { UtxoCoin } from './utxo-coins.ts';
import type { UtxoChainOptions } from './utxo-options.ts';

/** The context in which a plugin opens its chain. */
export interface UtxoSurroundings {
  readonly logger: Logger;
  readonly wallet: PublicWallet;
  readonly signer: Signer | null;
  readonly clock: Clock;
}

/**
 * Opens the chain of a coin with its plugin's options. It can pay when the till can sign for its deposit addresses;
 * with an `xpub` of another wallet it is watch-only.
 *
 * @throws TillgateError `CONFIG_INVALID` without a seed and without an `xpub`
 */
export async function openUtxoChain(
  coin: UtxoCoin,
  options: UtxoPluginOptions,
  { logger, wallet, signer, clock }: UtxoSurroundings,
): Promise<ChainAdapter> {
  const terms = coin.networks[options.network];
  const xpub = options.xpub ?? (await wallet.extendedPublicKey(terms.accounts.deposit));
  const spending = signer === null ? null : await spendingOf(signer, terms, xpub);
  if (signer !== null && spending === null)
    logger.warn('the xpub is of another wallet than the till’s seed: the chain is watch-only', { chain: coin.code });
  const asset = { ...coin.coin, minDeposit: inputCost(options.feeRates.dust) };
  const { rpcUrls, quorum, insecureNodes, ...rest } = options;
  const mainNetwork = options.network === 'main';
  const nodes = { urls: rpcUrls, quorum, mainNetwork, insecureNodes, clock, agreePrice: lowestFee };
  return openByNodes(
    nodes,
    (pick) => new UtxoChain({ ...rest, rpcUrls: pick(rpcUrls), coin, asset, xpub, spending }, logger),
  );
}

async function spendingOf(
  signer: Signer,
  terms: UtxoCoin['networks']['main'],
  xpub: string,
): Promise<UtxoChainOptions['spending']> {
  const own = new AccountKey(await signer.extendedPublicKey(terms.accounts.deposit));
  if (own.walletId !== new AccountKey(xpub).walletId) return null;
  return { signer, hotXpub: await signer.extendedPublicKey(terms.accounts.hot) };
}
