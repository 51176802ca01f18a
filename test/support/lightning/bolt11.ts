import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bech32 } from '@scure/base';

/** The content of a payment request. */
export interface Bolt11Fields {
  /** `bc`, `tb`, `bcrt`… */
  readonly prefix: string;
  /** `null` for none. */
  readonly msat: bigint | null;
  /** Overrides the text of the amount. */
  readonly amountText?: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly paymentHash: string;
  readonly paymentSecret: string;
  readonly description: string;
  readonly expirySeconds: number;
  /** The private key that signs. */
  readonly key: Uint8Array;
  /** The payee's node key; not included by default. */
  readonly payee?: string;
  /** Feature bits of BOLT 9; by default variable onions and payment secrets are required, several parts supported. */
  readonly features?: readonly number[];
  /** Overrides {@link FINAL_CLTV}. */
  readonly finalCltv?: number;
  /** Omits the payment secret. */
  readonly withoutSecret?: true;
  /** Additional fields, as tag and words. */
  readonly further?: readonly (readonly [tag: number, words: readonly number[]])[];
}

const FIELD = {
  payment_hash: 1,
  description: 13,
  payee: 19,
  expiry: 6,
  payment_secret: 16,
  min_final_cltv: 24,
  features: 5,
} as const;
const PICO_PER_MSAT = 10n;
/** var_onion_optin and payment_secret required, basic_mpp supported (BOLT 9). */
const FEATURES: readonly number[] = [8, 14, 17];
const FINAL_CLTV = 80;

/** Writes and signs a payment request (BOLT 11). */
export function encodeBolt11(fields: Bolt11Fields): string {
  const amount = fields.amountText ?? (fields.msat === null ? '' : shortest(fields.msat));
  const prefix = `ln${fields.prefix}${amount}`;
  const words = [
    ...numberWords(fields.timestamp, 7),
    ...field(FIELD.payment_hash, bech32.toWords(Buffer.from(fields.paymentHash, 'hex'))),
    ...(fields.withoutSecret === true
      ? []
      : field(FIELD.payment_secret, bech32.toWords(Buffer.from(fields.paymentSecret, 'hex')))),
    ...field(FIELD.description, bech32.toWords(Buffer.from(fields.description, 'utf8'))),
    ...field(FIELD.expiry, numberWords(fields.expirySeconds)),
    ...field(FIELD.min_final_cltv, numberWords(fields.finalCltv ?? FINAL_CLTV)),
    ...field(FIELD.features, bitWords(fields.features ?? FEATURES)),
    ...(fields.payee === undefined ? [] : field(FIELD.payee, bech32.toWords(Buffer.from(fields.payee, 'hex')))),
    ...(fields.further ?? []).flatMap(([tag, data]) => field(tag, data)),
  ];
  const digest = createHash('sha256').update(prefix, 'utf8').update(toBytes(words)).digest();
  const signed = secp256k1.sign(digest, fields.key, { prehash: false, format: 'recovered' });
  const signature = Buffer.concat([signed.subarray(1), signed.subarray(0, 1)]);
  return bech32.encode(prefix, [...words, ...bech32.toWords(signature)], false);
}

/** The public key of a private one, compressed, hexadecimal. */
export function publicKeyOf(key: Uint8Array): string {
  return Buffer.from(secp256k1.getPublicKey(key, true)).toString('hex');
}

/** The shortest form, as BOLT 11 requires. */
function shortest(msat: bigint): string {
  for (const [unit, size] of [
    ['', 10n ** 11n],
    ['m', 10n ** 8n],
    ['u', 10n ** 5n],
    ['n', 10n ** 2n],
  ] as const) {
    if (msat % size === 0n) return `${msat / size}${unit}`;
  }
  return `${msat * PICO_PER_MSAT}p`;
}

function field(tag: number, words: readonly number[]): readonly number[] {
  return [tag, words.length >> 5, words.length & 31, ...words];
}

function numberWords(value: number, length = 0): readonly number[] {
  const words: number[] = [];
  for (let rest = value; rest > 0 || words.length < Math.max(length, 1); rest = Math.floor(rest / 32))
    words.unshift(rest % 32);
  return words;
}

/** Bit 0 is the last bit of the field. */
function bitWords(bits: readonly number[]): readonly number[] {
  const words = Array.from({ length: Math.floor(Math.max(0, ...bits) / 5) + 1 }, () => 0);
  for (const bit of bits) {
    const at = words.length - 1 - Math.floor(bit / 5);
    words[at] = (words[at] ?? 0) | (1 << (bit % 5));
  }
  return words;
}

function toBytes(words: readonly number[]): Buffer {
  const bits = words.map((word) => word.toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{1,8}/g) ?? []).map((byte) => parseInt(byte.padEnd(8, '0'), 2)));
}
