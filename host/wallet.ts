import type { DocumentStore, Logger, PublicWallet, Vault } from '../core/index.ts';
import { TillgateError } from '../core/index.ts';
import { MnemonicWallet, NoWallet, generateMnemonic } from '../adapters/wallet/index.ts';

const DOCUMENT = 'host:wallet';

/** Where the till's seed is kept. */
export interface WalletTools {
  readonly documents: DocumentStore;
  readonly vault: Vault;
}

/**
 * The till's wallet: the environment's seed, else the stored one, else in the sandbox a new one, else none.
 *
 * @throws TillgateError `CONFIG_INVALID` when the environment's words are no mnemonic
 */
export async function openWallet(tools: WalletTools, mnemonic: string | null, makeOne: boolean, logger: Logger): Promise<PublicWallet> {
  if (mnemonic !== null) return new MnemonicWallet(mnemonic);
  const stored = await storedMnemonic(tools);
  if (stored !== null) return new MnemonicWallet(stored);
  if (!makeOne) return new NoWallet();
  logger.info('made a wallet for the sandbox');
  return new MnemonicWallet((await initWallet(tools)) ?? (await requireStored(tools)));
}

/**
 * Makes a seed and stores it sealed.
 *
 * @returns its 24 words, to be shown once; `null` when there is a wallet already
 */
export async function initWallet({ documents, vault }: WalletTools): Promise<string | null> {
  const mnemonic = generateMnemonic();
  const made = await documents.write(DOCUMENT, vault.seal(mnemonic, DOCUMENT), 0);
  return made ? mnemonic : null;
}

async function storedMnemonic({ documents, vault }: WalletTools): Promise<string | null> {
  const stored = await documents.read(DOCUMENT);
  return stored === null ? null : vault.open(stored.value, DOCUMENT);
}

async function requireStored(tools: WalletTools): Promise<string> {
  const stored = await storedMnemonic(tools);
  if (stored === null) throw new TillgateError('INTERNAL', 'The wallet was neither made nor found.');
  return stored;
}

/** An address that money is paid out from. */
export interface HotAddress {
  readonly chain: string;
  /** The whole derivation path. */
  readonly path: string;
  readonly address: string;
}

/** Hot wallets lie at account 2k, k = 0 for Ethereum (decisions, section 10); each chain's row comes with its plugin. */
const HOT_ACCOUNTS: readonly { readonly chain: string; readonly account: string }[] = [{ chain: 'ETH', account: "m/44'/60'/0'" }];

/** @throws TillgateError `CONFIG_INVALID` for a till without a seed */
export async function hotAddresses(tools: WalletTools, mnemonic: string | null): Promise<readonly HotAddress[]> {
  const words = mnemonic ?? (await storedMnemonic(tools));
  const wallet = words === null ? new NoWallet() : new MnemonicWallet(words);
  const { AccountKey, evmAddress, evmKey } = await import('../adapters/chains/index.ts');
  return Promise.all(
    HOT_ACCOUNTS.map(async ({ chain, account }) => {
      const key = new AccountKey(await wallet.extendedPublicKey(account));
      return { chain, path: `${account}/0/0`, address: evmAddress(evmKey(key.publicKey(0))) };
    }),
  );
}
