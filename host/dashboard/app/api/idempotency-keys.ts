/** Fills bytes with chance; a browser has that without TLS too, which `randomUUID` wants. */
export type RandomBytes = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array;

const KEY_BYTES = 16;

/** The `Idempotency-Key` of each thing that a form asks for: the same for the same body, so that a repetition moves nothing twice. */
export class IdempotencyKeys {
  readonly #random: RandomBytes;
  readonly #keys = new Map<string, string>();

  constructor(random: RandomBytes) {
    this.#random = random;
  }

  of(body: unknown): string {
    const text = JSON.stringify(body);
    const key = this.#keys.get(text) ?? this.#newKey();
    this.#keys.set(text, key);
    return key;
  }

  /** Once it is done, the same body asks for another one. */
  done(body: unknown): void {
    this.#keys.delete(JSON.stringify(body));
  }

  #newKey(): string {
    const bytes = this.#random(new Uint8Array(KEY_BYTES));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
}
