import type { Vault } from '../ports/vault.ts';

interface Opened<T> {
  readonly sealed: string;
  readonly secrets: T;
}

/**
 * Opened secrets by the context of their record, the least used forgotten first.
 *
 * Only what a sealed text opens to is kept, and only for that very text: whether the record still holds, and which
 * text it holds, is read from the database each time.
 */
export class OpenedSecrets<T> {
  readonly #vault: Pick<Vault, 'open'>;
  readonly #limit: number;
  readonly #opened = new Map<string, Opened<T>>();

  constructor(vault: Pick<Vault, 'open'>, limit = 10_000) {
    this.#vault = vault;
    this.#limit = limit;
  }

  /** @throws Error when the vault does not open the text in this context. */
  open(context: string, sealed: string): T {
    const known = this.#opened.get(context);
    this.#opened.delete(context);
    const entry = known?.sealed === sealed ? known : { sealed, secrets: JSON.parse(this.#vault.open(sealed, context)) as T };
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
