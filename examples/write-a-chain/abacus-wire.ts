/** The wire format of Abacus, shared by its node and the plugin, as the library of a real chain would be. */
import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { z } from 'zod';

const units = z.string().regex(/^\d{1,30}$/);
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** A payment: `nonce` counts the sender's payments from 0, `key` is its compressed public key. */
export const transactionSchema = z.object({
  from: z.string(),
  to: z.string(),
  amount: units,
  fee: units,
  nonce: z.number().int().min(0),
  key: z.string(),
  signature: z.string(),
});
/** The result of a transaction: `height` is `null` while it waits; `ok` is false when it only cost its fee. */
export const receiptSchema = z.object({
  id: hash,
  transaction: transactionSchema,
  height: z.number().int().nullable(),
  ok: z.boolean(),
});
export const blockSchema = z.object({
  height: z.number().int(),
  hash,
  parent: hash,
  time: z.number().int(),
  receipts: z.array(receiptSchema),
});
export const accountSchema = z.object({ balance: units, minedNonce: z.number().int(), nextNonce: z.number().int() });

export type WireTransaction = z.output<typeof transactionSchema>;
export type WireReceipt = z.output<typeof receiptSchema>;
export type WireBlock = z.output<typeof blockSchema>;
export type WireAccount = z.output<typeof accountSchema>;

const sha = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** The watch key of a public key: 40 hexadecimal digits. */
export function keyHash(publicKey: Uint8Array): string {
  return sha(publicKey).slice(0, 40);
}

/** An address: `abc1`, the key hash, and eight digits of checksum. */
export function writeAddress(key: string): string {
  return `abc1${key}${sha(`abc1${key}`).slice(0, 8)}`;
}

/** The key hash of an address in either case; `null` when it is invalid. */
export function readAddress(text: string): string | null {
  const key = /^abc1([0-9a-f]{40})[0-9a-f]{8}$/.exec(text.toLowerCase())?.[1];
  return key !== undefined && writeAddress(key) === text.toLowerCase() ? key : null;
}

/** The id of a transaction, which is also what is signed: everything but the signature, in this order. */
export function transactionId({ from, to, amount, fee, nonce, key }: Omit<WireTransaction, 'signature'>): string {
  return sha(JSON.stringify({ from, to, amount, fee, nonce, key }));
}

/** Whether the sender's own key signed it. */
export function isSigned(transaction: WireTransaction): boolean {
  const key = Buffer.from(transaction.key, 'hex');
  if (writeAddress(keyHash(key)) !== transaction.from) return false;
  try {
    return secp256k1.verify(
      Buffer.from(transaction.signature, 'hex'),
      Buffer.from(transactionId(transaction), 'hex'),
      key,
      { prehash: false },
    );
  } catch {
    // Not a valid key or signature.
    return false;
  }
}
