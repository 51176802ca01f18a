import type { ChainCode, PublicWallet } from '../core/index.ts';
import { importPlugins } from './plugins.ts';
import type { HostRuntime } from './open.ts';
import { openTill } from './runtime.ts';
import { openWallet } from './wallet.ts';

/** An address that money is paid out from. */
export interface HotAddress {
  readonly chain: ChainCode;
  /** The whole derivation path. */
  readonly path: string;
  readonly address: string;
}

/** Where a chain's hot wallet lies: account 2k (decisions, section 10), by the beginning of its addresses. */
interface HotAccount {
  readonly chain: ChainCode;
  readonly begins: string;
  readonly account: string;
}

/** Off their main networks Bitcoin and Litecoin share coin type 1, and so take accounts 0 and 2 of it. */
const HOT_ACCOUNTS: readonly HotAccount[] = [
  { chain: 'ETH', begins: '0x', account: "m/44'/60'/0'" },
  { chain: 'BSC', begins: '0x', account: "m/44'/60'/2'" },
  { chain: 'BTC', begins: 'bc1', account: "m/84'/0'/0'" },
  { chain: 'BTC', begins: '', account: "m/84'/1'/0'" },
  { chain: 'LTC', begins: 'ltc1', account: "m/84'/2'/0'" },
  { chain: 'LTC', begins: '', account: "m/84'/1'/2'" },
  { chain: 'TRX', begins: 'T', account: "m/44'/195'/0'" },
];

/**
 * The hot address of each configured chain that pays, as the chain itself says; where no plugin can be set up, those of
 * all main networks.
 *
 * @throws TillgateError `CONFIG_INVALID` for a till without a seed
 */
export async function hotAddresses(runtime: HostRuntime): Promise<readonly HotAddress[]> {
  const { wallet } = await openWallet({ documents: runtime.storage.documents, vault: runtime.vault }, runtime.config.secrets.mnemonic, false, runtime.logger);
  // Says what is wrong where there is no seed, before any plugin complains of the same.
  await wallet.extendedPublicKey("m/44'/60'/0'");
  const paying = await payingChains(runtime);
  return paying.length > 0 ? paying : Promise.all(HOT_ACCOUNTS.filter(({ begins }) => begins !== '').map((account) => derive(wallet, account)));
}

async function payingChains(runtime: HostRuntime): Promise<readonly HotAddress[]> {
  const { plugins: settings, mode, directory } = runtime.config;
  const { plugins } = await importPlugins(settings, mode, directory);
  try {
    const { chains } = await openTill(runtime, plugins, { url: '' });
    return [...chains].flatMap(([chain, { payments }]) => (payments === null ? [] : [{ chain, path: pathOf(chain, payments.hotAddress), address: payments.hotAddress }]));
  } catch (error) {
    runtime.logger.warn('the plugins could not be set up: the addresses are those of the main networks', { error });
    return [];
  }
}

/** A chain of somebody else's plugin has a path of its own. */
function pathOf(chain: ChainCode, address: string): string {
  const found = HOT_ACCOUNTS.find((hot) => hot.chain === chain && address.startsWith(hot.begins));
  return found === undefined ? '' : `${found.account}/0/0`;
}

async function derive(wallet: PublicWallet, { chain, begins, account }: HotAccount): Promise<HotAddress> {
  const { AccountKey, BITCOIN_REGTEST, evmAddress, evmKey, segwitAddress, tronAddress } = await import('../adapters/chains/index.ts');
  const key = new AccountKey(await wallet.extendedPublicKey(account)).publicKey(0);
  const path = `${account}/0/0`;
  if (begins === '0x') return { chain, path, address: evmAddress(evmKey(key)) };
  if (begins === 'T') return { chain, path, address: tronAddress(evmKey(key)) };
  return { chain, path, address: segwitAddress(key, { ...BITCOIN_REGTEST, bech32: begins.slice(0, -1) }).address };
}
