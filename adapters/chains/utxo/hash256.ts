import { hash } from 'node:crypto';

/** Double SHA-256: the hash of blocks, transactions and the nodes of their tree. */
export function hash256(bytes: Uint8Array): Buffer {
  return hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer');
}

/** The order in which hashes are printed is the reverse of that in which they are serialised. */
export function toHashText(hashed: Uint8Array): string {
  return Buffer.from(hashed).reverse().toString('hex');
}

/** The serialised bytes of a printed hash. */
export function fromHashText(text: string): Buffer {
  return Buffer.from(text, 'hex').reverse();
}
