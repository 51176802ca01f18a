import { TillgateError } from '../../core/index.ts';
import type { EcdsaSignature, Signer, SigningIntent, TransactionBuilder } from '../../core/index.ts';

/** A signer that a plugin is given: it has the keys of that plugin's accounts, and of no other. */
export class AccountSigner implements Signer {
  readonly #signer: Signer;
  readonly #accounts: ReadonlySet<string>;

  /** @param accounts - hardened paths, `m/44'/60'/0'` */
  constructor(signer: Signer, accounts: readonly string[]) {
    this.#signer = signer;
    this.#accounts = new Set(accounts);
  }

  async extendedPublicKey(path: string): Promise<string> {
    this.#require(path);
    return this.#signer.extendedPublicKey(path);
  }

  async sign(intent: SigningIntent, build: TransactionBuilder): Promise<readonly EcdsaSignature[]> {
    // Built once: a builder that answers differently the next time must not get another key's signature.
    const built = build(intent);
    for (const { path } of built.inputs) this.#require(path.split('/').slice(0, -2).join('/'));
    return this.#signer.sign(intent, () => built);
  }

  #require(account: string): void {
    if (this.#accounts.has(account)) return;
    throw new TillgateError('SIGNING_REFUSED', `${account} is not an account of this plugin: name it in its accounts.`);
  }
}
