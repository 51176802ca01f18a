import { HDKey } from '@scure/bip32';
import { generateMnemonic as generate, mnemonicToSeed, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { TillgateError } from '../../core/index.ts';
import type { PublicWallet } from '../../core/index.ts';

/** Account paths only, hardened throughout: with such a public key and a stray private one below it no other key is found. */
const ACCOUNT_PATH = /^m(?:\/\d{1,10}'){3}$/;
const BITS = { 12: 128, 24: 256 } as const;

/** The till's seed. It stays in here: public keys are all that comes out. */
export class MnemonicWallet implements PublicWallet {
  readonly #phrase: string;
  readonly #passphrase: string;
  #root: Promise<HDKey> | null = null;

  /**
   * @param mnemonic - BIP-39 words in English; case and spacing are forgiven
   * @throws TillgateError `CONFIG_INVALID` when a word or the checksum is wrong; the message repeats none of it
   */
  constructor(mnemonic: string, passphrase = '') {
    const phrase = mnemonic.normalize('NFKD').trim().toLowerCase().split(/\s+/).join(' ');
    if (!validateMnemonic(phrase, wordlist)) {
      throw new TillgateError('CONFIG_INVALID', 'The mnemonic is not valid: a word is unknown, missing, or the checksum is wrong.');
    }
    this.#phrase = phrase;
    this.#passphrase = passphrase;
  }

  async extendedPublicKey(path: string): Promise<string> {
    if (!ACCOUNT_PATH.test(path)) throw new TillgateError('CONFIG_INVALID', `${path} is not an account path such as m/44'/60'/1'.`);
    const root = await (this.#root ??= this.#readRoot());
    const account = root.derive(path);
    const xpub = account.publicExtendedKey;
    account.wipePrivateData();
    return xpub;
  }

  async #readRoot(): Promise<HDKey> {
    const seed = await mnemonicToSeed(this.#phrase, this.#passphrase);
    const root = HDKey.fromMasterSeed(seed);
    seed.fill(0);
    return root;
  }
}

/** The wallet of a till without a seed: each chain then needs an extended public key in its options. */
export class NoWallet implements PublicWallet {
  async extendedPublicKey(path: string): Promise<string> {
    throw new TillgateError(
      'CONFIG_INVALID',
      `The till has no seed to derive ${path} from: run \`tillgate wallet init\`, set TILLGATE_MNEMONIC, or give the chain's \`xpub\` option.`,
    );
  }
}

/** A new mnemonic of 12 or 24 words, from the system's randomness. */
export function generateMnemonic(words: keyof typeof BITS = 24): string {
  return generate(wordlist, BITS[words]);
}
