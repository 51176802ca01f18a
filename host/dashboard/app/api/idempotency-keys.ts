/** Fills bytes with random values; unlike `randomUUID`, browsers offer this without TLS. */
export type RandomBytes = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array;

const KEY_BYTES = 16;

/** One `Idempotency-Key` for each request body of a form, so that a repetition moves nothing twice. */
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

  /** After success, the same body gets a new key. */
  done(body: unknown): void {
    this.#keys.delete(JSON.stringify(body));
  }

  #newKey(): string {
    const bytes = this.#random(new Uint8Array(KEY_BYTES));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
}
