import { TillgateError, isTillgateError } from '../../core/index.ts';
import type { DocumentStore, EcdsaSignature, PublicWallet, Signer, SigningIntent } from '../../core/index.ts';
import type { SignerClient } from '../../adapters/signer/index.ts';

const DOCUMENT = 'host:signer-keys';
/** The signer's status is requested at most this often. */
const STATUS_EVERY_MS = 5_000;

/**
 * The wallet of a till whose seed is with a signer. The first public key of each account is kept in the database, so
 * that the till starts while the signer is unreachable and refuses a signer with another seed.
 */
export class RemoteWallet implements PublicWallet, Signer {
  readonly #client: SignerClient;
  readonly #documents: DocumentStore;
  #status: { readonly at: number; readonly problem: Promise<string | null> } | null = null;

  constructor(client: SignerClient, documents: DocumentStore) {
    this.#client = client;
    this.#documents = documents;
  }

  /** @throws TillgateError `CONFIG_INVALID` when the signer has another seed than before; `SIGNER_UNAVAILABLE` */
  async extendedPublicKey(path: string): Promise<string> {
    const known = (await this.#read()).keys[path];
    const answer = await this.#ask(path, known);
    if (known === undefined) await this.#keep(path, answer);
    else if (answer !== known)
      throw new TillgateError(
        'CONFIG_INVALID',
        `The signer has another seed than this till's addresses: its key at ${path} differs. Start the right signer.`,
      );
    return answer;
  }

  sign(intent: SigningIntent): Promise<readonly EcdsaSignature[]> {
    return this.#client.sign(intent);
  }

  /** The reason why payments cannot be signed now; `null` while they can. */
  async problem(): Promise<string | null> {
    const now = performance.now();
    if (this.#status === null || now - this.#status.at > STATUS_EVERY_MS)
      this.#status = { at: now, problem: this.#findProblem() };
    return this.#status.problem;
  }

  async #findProblem(): Promise<string | null> {
    try {
      const { stopped } = await this.#client.status();
      return stopped === null ? null : `the signer is stopped: ${stopped}`;
    } catch (error) {
      return (error as Error).message;
    }
  }

  async #ask(path: string, known: string | undefined): Promise<string> {
    try {
      return await this.#client.extendedPublicKey(path);
    } catch (error) {
      if (known !== undefined && isTillgateError(error, 'SIGNER_UNAVAILABLE')) return known;
      throw error;
    }
  }

  async #keep(path: string, key: string): Promise<void> {
    for (;;) {
      const { keys, version } = await this.#read();
      if (keys[path] === key) return;
      if (keys[path] !== undefined)
        throw new TillgateError('CONFIG_INVALID', `Another instance has another signer: its key at ${path} differs.`);
      if (await this.#documents.write(DOCUMENT, JSON.stringify({ ...keys, [path]: key }), version)) return;
    }
  }

  async #read(): Promise<{ readonly keys: Readonly<Record<string, string>>; readonly version: number }> {
    const stored = await this.#documents.read(DOCUMENT);
    if (stored === null) return { keys: {}, version: 0 };
    return { keys: JSON.parse(stored.value) as Record<string, string>, version: stored.version };
  }
}
