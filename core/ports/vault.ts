import type { LookupPurpose, SealContext } from '../secrets/seal-context.ts';
import { token } from './token.ts';

/**
 * Encrypts stored secrets. The encryption is authenticated and bound to the record, so that a text copied to another row cannot
 * be decrypted. Keyed hashes are for looking secrets up. While the master key is being replaced, the former one opens too.
 */
export interface Vault {
  /** @param context - the record it belongs to, `credential:123` */
  seal(plain: string, context: SealContext): string;
  /** @throws Error when the text was altered, belongs to another context or to another master key. */
  open(sealed: string, context: SealContext): string;
  /** Whether the text was sealed with the current master key, in the present form: `master-key rotate` seals every other one anew. */
  isCurrent(sealed: string): boolean;
  /** A keyed hash, 64 hexadecimal digits: equal for the same text and purpose, useless without the master key. */
  lookupHash(purpose: LookupPurpose, text: string): string;
  /** The hashes by which a record may be stored: with the current master key first, then with the former one where there is one. */
  lookupHashes(purpose: LookupPurpose, text: string): readonly string[];
}

export const VAULT = token<Vault>('Vault');
