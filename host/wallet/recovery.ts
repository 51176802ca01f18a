import type { ChainAdapter, ChainCode, IndexRange, PublicWallet, Storage } from '../../core/index.ts';
import { networksOf } from '../../plugins/address-codec.ts';
import type { ChainAccounts, ChainDefinition } from '../../plugins/chain-definition.ts';
import { KNOWN_CHAIN_DEFINITIONS } from '../../plugins/definitions.ts';

/** The data besides the seed words with which another wallet program finds the money of one chain. */
export interface Recovery {
  readonly chain: ChainCode;
  /** The single address of the hot wallet, which also receives change. */
  readonly hot: { readonly path: string; readonly descriptor: string | null };
  /** The paths of the deposit addresses; `i` is the index. `ranges` are inclusive. */
  readonly deposits: {
    readonly path: string;
    readonly descriptor: string | null;
    readonly ranges: readonly (readonly [first: number, last: number])[];
  };
}

const HOT_KEY = '0/0';

/** The full derivation paths of a chain. */
export const pathsOf = ({ hot, deposit }: ChainAccounts): { readonly hot: string; readonly deposits: string } => ({
  hot: `${hot}/${HOT_KEY}`,
  deposits: `${deposit}/0/i`,
});

/** One entry for each configured built-in chain. Other plugins' chains, and `xpub` options, have other paths. */
export async function recoveryOf(
  chains: Iterable<ChainAdapter>,
  { storage, wallet }: { readonly storage: Pick<Storage, 'epochs'>; readonly wallet: PublicWallet },
): Promise<readonly Recovery[]> {
  const found: Recovery[] = [];
  for (const chain of chains) {
    const network = await networkOf(chain, wallet);
    if (network === null) continue;
    const { accounts, version } = network;
    const paths = pathsOf(accounts);
    const [hot, deposits] = await Promise.all([
      descriptorOf(wallet, accounts.hot, version, HOT_KEY),
      descriptorOf(wallet, accounts.deposit, version, '0/*'),
    ]);
    const ranges = (await storage.epochs.ranges(chain.walletId)).map(inclusive);
    found.push({
      chain: chain.code,
      hot: { path: paths.hot, descriptor: hot },
      deposits: { path: paths.deposits, descriptor: deposits, ranges },
    });
  }
  return found;
}

const inclusive = ({ first, end }: IndexRange): readonly [number, number] => [first, end - 1];

interface RecoveredNetwork {
  readonly accounts: ChainAccounts;
  /** The version bytes of extended public keys for chains whose wallets read descriptors; `null` for the others. */
  readonly version: number | null;
}

/** The network of a chain whose deposit addresses come from this wallet; `null` when they do not. */
async function networkOf(chain: ChainAdapter, wallet: PublicWallet): Promise<RecoveredNetwork | null> {
  const definition = KNOWN_CHAIN_DEFINITIONS.find(({ code }) => code === chain.code);
  if (definition === undefined) return null;
  const { AccountKey } = await import('../../adapters/chains/account-key.ts');
  const [first] = await chain.deriveAddresses(0, 1);
  for (const { accounts, codec } of networksOf(definition)) {
    const key = new AccountKey(await wallet.extendedPublicKey(accounts.deposit)).publicKey(0);
    if (codec.fromPublicKey(key).address === first?.address)
      return { accounts, version: versionOf(definition, accounts) };
  }
  return null;
}

function versionOf(definition: ChainDefinition, accounts: ChainAccounts): number | null {
  if (definition.addressForm !== 'segwit') return null;
  return Object.values(definition.networks).find((network) => network.accounts === accounts)?.publicKeyVersion ?? null;
}

async function descriptorOf(
  wallet: PublicWallet,
  account: string,
  version: number | null,
  keys: string,
): Promise<string | null> {
  if (version === null) return null;
  const { accountDescriptor } = await import('../../adapters/chains/utxo/output-descriptor.ts');
  return accountDescriptor(await wallet.extendedPublicKey(account), version, keys);
}
