import type { SealContext, Vault } from '../kernel/index.ts';

interface Opened<T> {
  readonly sealed: string;
  readonly secrets: T;
}

/**
 * A cache of decrypted secrets by the context of their record; the least recently used ones are evicted first.
 *
 * An entry is valid only for exactly the same encrypted text. Whether the record still exists, and its text, are read
 * from the database each time.
 */
export class OpenedSecrets<T> {
  readonly #vault: Pick<Vault, 'open'>;
  readonly #limit: number;
  readonly #opened = new Map<string, Opened<T>>();

  constructor(vault: Pick<Vault, 'open'>, limit = 10_000) {
    this.#vault = vault;
    this.#limit = limit;
  }

  /** @throws Error when the vault cannot decrypt the text in this context. */
  open(context: SealContext, sealed: string): T {
    const known = this.#opened.get(context);
    this.#opened.delete(context);
    const entry =
      known?.sealed === sealed ? known : { sealed, secrets: JSON.parse(this.#vault.open(sealed, context)) as T };
    this.#opened.set(context, entry);
    if (this.#opened.size > this.#limit) this.#forgetOldest();
    return entry.secrets;
  }

  #forgetOldest(): void {
    for (const context of this.#opened.keys()) {
      this.#opened.delete(context);
      return;
    }
  }
}
