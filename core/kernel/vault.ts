import type { LookupPurpose, SealContext } from './seal-context.ts';
import { token } from './token.ts';

/**
 * Encrypts stored secrets. The encryption is authenticated and bound to the record, so that a text copied to another
 * row cannot be decrypted. Keyed hashes serve look-ups of secrets. While the master key is being replaced, texts of the
 * previous one can be decrypted too.
 */
export interface Vault {
  /** @param context - the record that the secret belongs to, `credential:123` */
  seal(plain: string, context: SealContext): string;
  /** @throws Error when the text was altered, or belongs to another context or another master key. */
  open(sealed: string, context: SealContext): string;
  /**
   * Whether the text was encrypted with the current master key, in the present format; `master-key rotate` encrypts
   * every other one again.
   */
  isCurrent(sealed: string): boolean;
  /** A keyed hash, 64 hexadecimal digits: equal for the same text and purpose, and useless without the master key. */
  lookupHash(purpose: LookupPurpose, text: string): string;
  /** The hashes under which a record may be stored: by the current master key, then by any previous one. */
  lookupHashes(purpose: LookupPurpose, text: string): readonly string[];
}

export const VAULT = token<Vault>('Vault');
