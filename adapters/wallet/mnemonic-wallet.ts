import { mnemonicToSeedWebcrypto, generateMnemonic as generate, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { TillgateError } from '../../core/index.ts';
import type { EcdsaSignature, PublicWallet, Signer, SigningIntent, TransactionBuilder } from '../../core/index.ts';
import { KeyTree } from './key-tree.ts';

/** Account paths only, hardened throughout: such a public key and a leaked private key below it reveal no other key. */
const ACCOUNT_PATH = /^m(?:\/\d{1,10}'){3}$/;
/** An account, its branch and the address's index: the only keys that sign. */
const KEY_PATH = /^(m(?:\/\d{1,10}'){3})\/(\d{1,10})\/(\d{1,10})$/;
const DIGEST_BYTES = 32;
const BITS = { 12: 128, 24: 256 } as const;

/** The till's seed, which never leaves this object: it returns only public keys and signatures. */
export class MnemonicWallet implements PublicWallet, Signer {
  readonly #phrase: string;
  readonly #passphrase: string;
  #tree: Promise<KeyTree> | null = null;

  /**
   * @param mnemonic - BIP-39 words in English; case and spacing are forgiven
   * @throws TillgateError `CONFIG_INVALID` when a word or the checksum is wrong; the message repeats none of it
   */
  constructor(mnemonic: string, passphrase = '') {
    const phrase = mnemonic.normalize('NFKD').trim().toLowerCase().split(/\s+/).join(' ');
    if (!validateMnemonic(phrase, wordlist)) {
      throw new TillgateError(
        'CONFIG_INVALID',
        'The mnemonic is not valid: a word is unknown, missing, or the checksum is wrong.',
      );
    }
    this.#phrase = phrase;
    this.#passphrase = passphrase;
  }

  async extendedPublicKey(path: string): Promise<string> {
    if (!ACCOUNT_PATH.test(path))
      throw new TillgateError('CONFIG_INVALID', `${path} is not an account path such as m/44'/60'/1'.`);
    return (await this.#open()).extendedPublicKey(path);
  }

  /** Signs what the intent describes. This signer has the seed and applies no policy. */
  async sign(intent: SigningIntent, build: TransactionBuilder): Promise<readonly EcdsaSignature[]> {
    const signatures: EcdsaSignature[] = [];
    for (const { path, digest } of build(intent).inputs) signatures.push(await this.signDigest(path, digest));
    return signatures;
  }

  /**
   * Signs by ECDSA over secp256k1 with the nonce of RFC 6979 and low s: the same digest and path always give the same
   * bytes. Only for signers that have built the transaction themselves; never sign a digest that was received.
   */
  async signDigest(path: string, digest: Uint8Array): Promise<EcdsaSignature> {
    const [, account, branch, index] = KEY_PATH.exec(path) ?? [];
    if (account === undefined)
      throw new TillgateError('CONFIG_INVALID', `${path} is not the path of a key such as m/44'/60'/0'/0/0.`);
    if (digest.length !== DIGEST_BYTES)
      throw new TillgateError('INTERNAL', `A digest has ${DIGEST_BYTES} bytes, this one ${digest.length}.`);
    return (await this.#open()).sign(account, Number(branch), Number(index), digest);
  }

  #open(): Promise<KeyTree> {
    return (this.#tree ??= this.#readTree());
  }

  async #readTree(): Promise<KeyTree> {
    const seed = await mnemonicToSeedWebcrypto(this.#phrase, this.#passphrase);
    const tree = new KeyTree(seed);
    seed.fill(0);
    return tree;
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
