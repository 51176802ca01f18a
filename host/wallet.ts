import type { DocumentStore, Logger, PublicWallet, SealedDocument, Signer, Vault } from '../core/index.ts';
import { TillgateError } from '../core/index.ts';
import { MnemonicWallet, NoWallet, generateMnemonic } from '../adapters/wallet/index.ts';

const DOCUMENT: SealedDocument = 'host:wallet';

/** Where the till's seed is kept. */
export interface WalletTools {
  readonly documents: DocumentStore;
  readonly vault: Vault;
}

/** The till's keys: the public ones for plugins, and what signs with the private ones. */
export interface OpenWallet {
  readonly wallet: PublicWallet;
  /** `null` for a till without a seed: it is watch-only. */
  readonly signer: Signer | null;
}

/** The wallet of a till without a seed. */
export const WATCH_ONLY: OpenWallet = { wallet: new NoWallet(), signer: null };

/**
 * The till's wallet: the environment's seed, else the stored one, else in the sandbox a new one, else none.
 *
 * @throws TillgateError `CONFIG_INVALID` when the environment's words are no mnemonic
 */
export async function openWallet(
  tools: WalletTools,
  mnemonic: string | null,
  makeOne: boolean,
  logger: Logger,
): Promise<OpenWallet> {
  if (mnemonic !== null) return openMnemonic(mnemonic);
  const stored = await storedMnemonic(tools);
  if (stored !== null) return openMnemonic(stored);
  if (!makeOne) return WATCH_ONLY;
  logger.info('made a wallet for the sandbox');
  return openMnemonic((await initWallet(tools)) ?? (await requireStored(tools)));
}

function openMnemonic(mnemonic: string): OpenWallet {
  const wallet = new MnemonicWallet(mnemonic);
  return { wallet, signer: wallet };
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
