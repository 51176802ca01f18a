import type { DocumentStore, Logger, PublicWallet, SealedDocument, Signer, Vault } from '../../core/index.ts';
import { TillgateError } from '../../core/index.ts';
import { SignerClient } from '../../adapters/signer/index.ts';
import type { SignerAddress } from '../../adapters/signer/index.ts';
import { RemoteWallet } from './remote-wallet.ts';
import { MnemonicWallet, NoWallet, generateMnemonic } from '../../adapters/wallet/index.ts';

const DOCUMENT: SealedDocument = 'host:wallet';

/** The ports that store and open the till's seed. */
export interface WalletTools {
  readonly documents: DocumentStore;
  readonly vault: Vault;
  /** The address of the process that holds the seed; none by default. */
  readonly signer?: SignerAddress | null;
}

/** The till's keys: public ones for plugins, and the signer that uses the private ones. */
export interface OpenWallet {
  readonly wallet: PublicWallet;
  /** `null` for a till without a seed, which is watch-only. */
  readonly signer: Signer | null;
  /** The reason why payments cannot be signed now; absent when the seed is in this process. */
  readonly problem?: () => Promise<string | null>;
}

/** Why a till creates its wallet: it is a sandbox, or it keeps its own master key, as on a first try. */
export type WalletCreation = 'sandbox' | 'own-key';

/** The wallet of a till without a seed. */
export const WATCH_ONLY: OpenWallet = { wallet: new NoWallet(), signer: null };

/**
 * Opens the till's wallet: the signer's, else the given seed, else the stored one, else a new one where one may be
 * created, else none.
 *
 * @throws TillgateError `CONFIG_INVALID` when the environment's words are no mnemonic, or a seed is stored beside a
 * signer
 */
export async function openWallet(
  tools: WalletTools,
  mnemonic: string | null,
  create: WalletCreation | null,
  logger: Logger,
): Promise<OpenWallet> {
  if (tools.signer != null) return openRemote(tools.signer, tools);
  if (mnemonic !== null) return openMnemonic(mnemonic);
  const stored = await storedMnemonic(tools);
  if (stored !== null) return openMnemonic(stored);
  if (create === null) return WATCH_ONLY;
  const made = await initWallet(tools);
  if (create === 'sandbox') logger.info('a wallet for the sandbox was created');
  else
    logger.warn(
      'a wallet was created: back up the database and the file of its master key, which together hold its seed',
    );
  return openMnemonic(made ?? (await requireStored(tools)));
}

/** Refuses a stored seed, even a sealed one: an attacker who takes over a server with a signer must find none. */
async function openRemote(address: SignerAddress, tools: WalletTools): Promise<OpenWallet> {
  if ((await storedMnemonic(tools)) !== null)
    throw new TillgateError(
      'CONFIG_INVALID',
      'A seed is stored in the database beside the signer: give the signer its words, then run `tillgate wallet forget`.',
    );
  const wallet = new RemoteWallet(new SignerClient(address), tools.documents);
  return { wallet, signer: wallet, problem: () => wallet.problem() };
}

/** Comparing one account is enough: two seeds that share one key are the same. */
const COMPARED = "m/44'/60'/0'";

/**
 * Removes the stored seed.
 *
 * @throws TillgateError `STATE_CONFLICT` when there is none, or the signer has another; `SIGNER_UNAVAILABLE`
 */
export async function forgetWallet(tools: WalletTools & { readonly signer: SignerAddress }): Promise<void> {
  const stored = await tools.documents.read(DOCUMENT);
  const mnemonic = await storedMnemonic(tools);
  if (stored === null || mnemonic === null) throw new TillgateError('STATE_CONFLICT', 'No seed is stored.');
  const [own, theirs] = await Promise.all(
    [new MnemonicWallet(mnemonic), new SignerClient(tools.signer)].map((one) => one.extendedPublicKey(COMPARED)),
  );
  if (own !== theirs)
    throw new TillgateError(
      'STATE_CONFLICT',
      'The signer has another seed than the one that is stored; nothing was removed.',
    );
  if (!(await tools.documents.write(DOCUMENT, tools.vault.seal('', DOCUMENT), stored.version)))
    throw new TillgateError('STATE_CONFLICT', 'The stored seed changed meanwhile; nothing was removed.');
}

function openMnemonic(mnemonic: string): OpenWallet {
  const wallet = new MnemonicWallet(mnemonic);
  return { wallet, signer: wallet };
}

/**
 * Generates a seed and stores it sealed.
 *
 * @param show - receives the words before they are stored, so that a killed process leaves no seed that nobody has seen; the words
 * of a rejected promise are not stored
 * @returns its 24 words; `null` when there is a wallet already
 */
export async function initWallet(
  { documents, vault }: WalletTools,
  show: (words: string) => void | Promise<void> = () => undefined,
): Promise<string | null> {
  if ((await documents.read(DOCUMENT)) !== null) return null;
  const mnemonic = generateMnemonic();
  await show(mnemonic);
  const made = await documents.write(DOCUMENT, vault.seal(mnemonic, DOCUMENT), 0);
  return made ? mnemonic : null;
}

async function storedMnemonic({ documents, vault }: WalletTools): Promise<string | null> {
  const stored = await documents.read(DOCUMENT);
  // A removed seed is stored as an empty text.
  return stored === null ? null : vault.open(stored.value, DOCUMENT) || null;
}

async function requireStored(tools: WalletTools): Promise<string> {
  const stored = await storedMnemonic(tools);
  if (stored === null) throw new TillgateError('INTERNAL', 'The wallet was neither created nor found.');
  return stored;
}
