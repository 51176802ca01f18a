import { TillgateError } from '../../core/index.ts';
import type { EcdsaSignature, Signer, SigningIntent, TransactionBuilder } from '../../core/index.ts';

/** The signer of a plugin: it has the keys of the plugin's accounts and no others. */
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
    // Built once: if the builder returned another result the next time, it would be signed with another key.
    const built = build(intent);
    for (const { path } of built.inputs) this.#require(path.split('/').slice(0, -2).join('/'));
    return this.#signer.sign(intent, () => built);
  }

  #require(account: string): void {
    if (this.#accounts.has(account)) return;
    throw new TillgateError('SIGNING_REFUSED', `${account} is not an account of this plugin: name it in its accounts.`);
  }
}
