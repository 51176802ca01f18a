import type { ChainCode, PublicWallet } from '../../core/index.ts';
import { CHAIN_DEFINITIONS, KNOWN_CHAIN_DEFINITIONS } from '../../plugins/definitions.ts';
import type { ChainDefinition } from '../../plugins/chain-definition.ts';
import { importPlugins } from '../boot/plugins.ts';
import type { HostRuntime } from '../boot/open.ts';
import { openStoredWallet, openTill } from '../boot/runtime.ts';

/** A hot wallet's address. */
export interface HotAddress {
  readonly chain: ChainCode;
  /** The full derivation path. */
  readonly path: string;
  readonly address: string;
}

/**
 * The hot wallet's address on each configured chain that pays, as the chain adapter reports it; if no plugin can be set
 * up, the addresses on all main networks.
 *
 * @throws TillgateError `CONFIG_INVALID` for a till without a seed
 */
export async function hotAddresses(runtime: HostRuntime): Promise<readonly HotAddress[]> {
  const { wallet } = await openStoredWallet(runtime);
  // Derived first, because a missing seed is reported more clearly here than by the first plugin that needs it.
  const mainAddresses = await Promise.all(CHAIN_DEFINITIONS.map((definition) => derive(wallet, definition)));
  const paying = await payingChains(runtime);
  return paying.length > 0 ? paying : mainAddresses;
}

async function payingChains(runtime: HostRuntime): Promise<readonly HotAddress[]> {
  const { plugins: settings, mode, directory } = runtime.config;
  const { plugins } = await importPlugins(settings, mode, directory);
  try {
    const { chains } = await openTill(runtime, plugins, { url: '' });
    const addresses = [...chains].flatMap(([chain, { payments }]) =>
      payments === null ? [] : [{ chain, address: payments.hotAddress }],
    );
    return await Promise.all(
      addresses.map(async ({ chain, address }) => ({ chain, path: await pathOf(chain, address), address })),
    );
  } catch (error) {
    runtime.logger.warn('the plugins could not be set up: the addresses are those of the main networks', { error });
    return [];
  }
}

/** Finds the path by the network of the address; the paths of other plugins' chains are unknown here. */
async function pathOf(chain: ChainCode, address: string): Promise<string> {
  const { networksOf } = await import('../../plugins/address-codec.ts');
  const definition = KNOWN_CHAIN_DEFINITIONS.find(({ code }) => code === chain);
  const network =
    definition === undefined ? undefined : networksOf(definition).find(({ codec }) => codec.read(address) !== null);
  return network === undefined ? '' : firstKeyOf(network.accounts.hot);
}

async function derive(wallet: PublicWallet, definition: ChainDefinition): Promise<HotAddress> {
  const [{ networksOf }, { AccountKey }] = await Promise.all([
    import('../../plugins/address-codec.ts'),
    import('../../adapters/chains/account-key.ts'),
  ]);
  const [{ accounts, codec }] = networksOf(definition);
  const key = new AccountKey(await wallet.extendedPublicKey(accounts.hot)).publicKey(0);
  return { chain: definition.code, path: firstKeyOf(accounts.hot), address: codec.fromPublicKey(key).address };
}

function firstKeyOf(account: string): string {
  return `${account}/0/0`;
}
