/** Private-use characters for the values of each reply; no text of an order contains them. */
export const SLOTS = {
  leftText: '\uE000',
  leftMs: '\uE001',
  nonce: '\uE002',
  shops: '\uE003',
  style: '\uE004',
} as const;

/** A buffer is one that many replies share. */
export type SlotValues = Readonly<Record<keyof typeof SLOTS, string | Buffer>>;

const NAMES = new Map(Object.entries(SLOTS).map(([name, character]) => [character, name as keyof typeof SLOTS]));

/** A text that is encoded once and sent many times: only its slots are written each time. */
export class Template {
  readonly #pieces: readonly (Buffer | keyof typeof SLOTS)[];

  constructor(text: string) {
    this.#pieces = text.split(/([\uE000-\uE004])/).map((piece) => NAMES.get(piece as never) ?? Buffer.from(piece));
  }

  fill(values: SlotValues): Buffer {
    return Buffer.concat(
      this.#pieces.map((piece) => {
        const value = typeof piece === 'string' ? values[piece] : piece;
        return typeof value === 'string' ? Buffer.from(value) : value;
      }),
    );
  }
}
